--- Asks the server of a workspace, and tells it things.

local client = require('dossier.client')
local failure = require('dossier.failure')
local neovim = require('dossier.neovim')
local tell = require('dossier.tell')

local M = {}

local tokens = 0

---@param root string
---@param method string
---@param params table
function M.notify(root, method, params)
  local server = client.get(root)
  if server and server.client then
    neovim.call(server.client, 'notify', method, params)
  end
end

local function with_client(root, go)
  local server = client.start(root)
  if not server then
    return false
  elseif server.client then
    go(server.client)
  else
    table.insert(server.waiting, go)
  end
  return true
end

--- Tells of a failure, unless the user knows.
local function on_failure(err)
  if not err.is_told then
    tell.error(failure.of_request(err))
  end
end

--- Asks the server of a workspace, which is started where it does not run.
---@param root string
---@param method string
---@param params table
---@param on { result: fun(result: any), failure?: fun(err: table), progress?: fun(value: any) } `failure` is called
---  after the user was told
---@return { cancel: fun() }
function M.send(root, method, params, on)
  tokens = tokens + 1
  local token = ('dossier-%d'):format(tokens)
  local pending = { on_progress = on.progress }
  local is_over, asked, id = false, nil, nil

  local function over()
    local before = is_over
    is_over = true
    local server = client.get(root)
    if server then
      server.calls[token] = nil
    end
    return before
  end

  function pending.finish(err, result)
    if over() then
      return
    elseif not err then
      return on.result(neovim.plain(result))
    end
    on_failure(err)
    if on.failure then
      on.failure(err)
    end
  end

  local function send(ready)
    if is_over then
      return
    end
    asked = ready
    local given = vim.tbl_extend('force', params, { workDoneToken = token .. '-work' })
    given.partialResultToken = on.progress and token or nil
    _, id = neovim.call(ready, 'request', method, given, pending.finish)
  end

  if with_client(root, send) then
    client.get(root).calls[token] = pending
  else
    pending.finish({ message = 'no server', is_told = true })
  end
  return {
    cancel = function()
      if not over() and id then
        neovim.call(asked, 'cancel_request', id)
      end
    end,
  }
end

--- Handles `$/progress`: what comes of our own requests, before their results.
function M.progress(err, params, context)
  for _, server in pairs(client.all()) do
    local pending = server.calls[params.token]
    if pending then
      return pending.on_progress(neovim.plain(params.value))
    end
  end
  return vim.lsp.handlers['$/progress'](err, params, context)
end

return M
