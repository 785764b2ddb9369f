--- What differs between versions of Neovim.

local M = {}

local IS_NEW = vim.fn.has('nvim-0.11') == 1

--- Calls a method of any language client: with a dot before Neovim 0.11, and with a colon since.
---@param client table
---@param method string
---@return any ... what the method returns
function M.call(client, method, ...)
  if IS_NEW then
    return client[method](client, ...)
  end
  return client[method](...)
end

--- A value of the protocol without its nulls, which some versions decode as `vim.NIL`.
---@param value any
---@return any
function M.plain(value)
  if value == vim.NIL then
    return nil
  elseif type(value) ~= 'table' then
    return value
  end
  local result = {}
  for key, inner in pairs(value) do
    result[key] = M.plain(inner)
  end
  return result
end

--- Starts a language server, and attaches no buffer: the one at hand need not be of its workspace.
---@param settings table
---@return integer? id of the client
function M.start(settings)
  if IS_NEW then
    return vim.lsp.start(settings, { attach = false })
  end
  return vim.lsp.start_client(settings)
end

---@return string where Neovim keeps what servers say on standard error
function M.log_file()
  local log = vim.lsp.log
  return log and log.get_filename and log.get_filename() or vim.lsp.get_log_path()
end

return M
