--- Lends the rust-analyzer that Neovim runs already to Dossier, which then starts none of its own. Only what reads is
--- passed on.

local neovim = require('dossier.neovim')
local workspace = require('dossier.workspace')

local M = {}

local SERVER = 'rust-analyzer'

local READING = {
  ['textDocument/definition'] = true,
  ['textDocument/declaration'] = true,
  ['textDocument/typeDefinition'] = true,
  ['textDocument/implementation'] = true,
  ['textDocument/references'] = true,
  ['textDocument/documentSymbol'] = true,
  ['textDocument/prepareCallHierarchy'] = true,
  ['callHierarchy/incomingCalls'] = true,
  ['callHierarchy/outgoingCalls'] = true,
  ['workspace/symbol'] = true,
  ['rust-analyzer/relatedTests'] = true,
}

--- How long an answer may take, in milliseconds. rust-analyzer never answers what it drops when it is stopped.
local ANSWER_MS = 30000

local function uris(client)
  return vim.tbl_map(function(folder)
    return folder.uri
  end, client.workspace_folders or {})
end

--- The rust-analyzer that knows a workspace.
---@param root string
---@return table? client
function M.lender(root)
  for _, client in ipairs(vim.lsp.get_clients()) do
    -- `rust_analyzer` is its name in nvim-lspconfig.
    local is_it = client.name:gsub('_', '-') == SERVER
    if is_it and client.initialized and not neovim.call(client, 'is_stopped') then
      for _, uri in ipairs(uris(client)) do
        local folder = vim.uri_to_fname(uri)
        if workspace.is_within(root, folder) or workspace.is_within(folder, root) then
          return client
        end
      end
    end
  end
end

local function offer_of(client)
  return {
    server = SERVER,
    positionEncoding = client and client.offset_encoding or 'utf-16',
    folders = client and uris(client) or {},
  }
end

--- What a server that starts is told of who is lent.
---@param root string
---@return integer? id of the client that is lent
---@return table initializationOptions
function M.offer(root)
  local client = M.lender(root)
  return client and client.id, { lend = client and { offer_of(client) } or {} }
end

--- Tells every server whose lender came or went.
function M.update()
  local client = require('dossier.client')
  for root, server in pairs(client.all()) do
    local lender = M.lender(root)
    local id = lender and lender.id
    if server.client and server.lender ~= id then
      server.lender = id
      require('dossier.request').notify(root, 'dossier/lend', offer_of(lender))
    end
  end
end

local function refusal(code, why)
  return nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes[code], why)
end

--- An error as Neovim lets it be passed on: it sends only codes that it knows.
local function passed_on(err)
  local code = vim.lsp.protocol.ErrorCodes[err.code] and err.code or vim.lsp.protocol.ErrorCodes.InternalError
  return { code = code, message = err.message or 'rust-analyzer failed', data = err.data }
end

--- Asks, and comes back when there is an answer: Neovim handles a server's request in a coroutine, so nothing waits.
local function ask(client, method, params)
  local asking = coroutine.running()
  local answer, is_waiting

  local function take(err, result)
    if answer then
      return
    end
    answer = { err = err, result = result == nil and vim.NIL or result }
    if is_waiting then
      coroutine.resume(asking)
    end
  end

  local timer = vim.defer_fn(function()
    take({ code = vim.lsp.protocol.ErrorCodes.ContentModified, message = 'rust-analyzer did not answer' })
  end, ANSWER_MS)
  neovim.call(client, 'request', method, params, take)
  if not answer then
    is_waiting = true
    coroutine.yield()
  end
  if not timer:is_closing() then
    timer:stop()
    timer:close()
  end
  return answer
end

--- Handles `dossier/forward`.
function M.forward(_, params, context)
  if not READING[params.method] then
    return refusal('InvalidParams', ('%s is not lent: it does more than read'):format(params.method))
  end
  local asking = vim.lsp.get_client_by_id(context.client_id)
  local client = params.server == SERVER and asking and M.lender(asking.root_dir)
  if not client then
    return refusal('InternalError', ('no %s runs here'):format(params.server))
  end
  local answer = ask(client, params.method, params.params)
  if answer.err then
    return nil, passed_on(answer.err)
  end
  return answer.result
end

return M
