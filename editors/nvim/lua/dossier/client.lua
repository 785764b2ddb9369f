--- The server: one process for each workspace, started by the first command (or by `vim.lsp.enable`). One that failed to
--- start is started again by the user's next command alone, never by a buffer that is opened.

local config = require('dossier.config')
local failure = require('dossier.failure')
local neovim = require('dossier.neovim')
local tell = require('dossier.tell')
local workspace = require('dossier.workspace')

local M = {}

--- How long a server may take to say that it is there, in milliseconds. It does nothing else before: 0.1 s is usual.
local STARTING_MS = 20000

--- How long it may take to end before it is made to, in milliseconds.
local STOPPING_MS = 2000

--- By root: `id`; `client` as soon as it is ready; `waiting`, what to do then; `calls` under way; `is_stopping`.
local servers = {}

--- By root: whether the last server there failed to start.
local failed = {}

---@param root string
---@return table? server none before one was started there
function M.get(root)
  return servers[root]
end

---@return table<string, table> servers by root
function M.all()
  return servers
end

---@param root string
---@return string the encoding of columns in what comes from the server
function M.encoding(root)
  local server = servers[root]
  return server and server.client and server.client.offset_encoding or 'utf-16'
end

local function attach(root)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if workspace.belongs(buffer, root) then
      vim.lsp.buf_attach_client(buffer, servers[root].id)
    end
  end
end

local function on_file_type(event)
  for root, server in pairs(servers) do
    if server.client and workspace.belongs(event.buf, root) then
      vim.lsp.buf_attach_client(event.buf, server.id)
    end
  end
end

local function watch()
  local group = vim.api.nvim_create_augroup('dossier', {})
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = workspace.FILETYPES,
    callback = on_file_type,
  })
  vim.api.nvim_create_autocmd({ 'LspAttach', 'LspDetach' }, {
    group = group,
    -- After the event: then it shows which servers are left.
    callback = vim.schedule_wrap(function()
      require('dossier.lend').update()
    end),
  })
end

local function new_server(root)
  if not next(servers) then
    watch()
  end
  servers[root] = { waiting = {}, calls = {} }
  return servers[root]
end

local function before_init(params, settings)
  local root = settings.root_dir
  local server = servers[root] or new_server(root)
  server.lender, params.initializationOptions = require('dossier.lend').offer(root)
  params.initializationOptions.shows = true
  -- So that what is asked before the server pulled its settings is answered by them too.
  params.initializationOptions.settings = settings.settings.dossier
end

local function on_init(client)
  local root = client.root_dir
  local server = servers[root] or new_server(root)
  server.id, server.client = client.id, client
  failed[root] = nil
  attach(root)
  -- A server may have come that was not there yet when this one was told which are.
  require('dossier.lend').update()
  local waiting = server.waiting
  server.waiting = {}
  for _, go in ipairs(waiting) do
    go(client)
  end
end

local function root_of(id)
  for root, server in pairs(servers) do
    if server.id == id then
      return root
    end
  end
  local client = vim.lsp.get_client_by_id(id)
  return client and client.root_dir
end

--- Ends all calls of a server that is gone; the user is told why but once.
local function forget(root)
  local server = servers[root]
  servers[root] = nil
  for _, pending in pairs(server.calls) do
    pending.finish({ message = 'the server ended', is_told = true })
  end
end

--- The same with what the user changed by `vim.lsp.config('dossier', …)`.
local function resolved()
  local native = vim.lsp.config and vim.lsp.config.dossier
  return native and vim.deepcopy(native) or M.config()
end

--- The command that starts the server.
---@return string[]
function M.cmd()
  local cmd = resolved().cmd
  return type(cmd) == 'table' and cmd or config.cmd()
end

local function on_exit(code, signal, id)
  local root = root_of(id)
  vim.schedule(function()
    local server = root and servers[root]
    -- Another one may have been started meanwhile.
    local is_other = server and server.id and server.id ~= id
    if not server or is_other or vim.v.exiting ~= vim.NIL then
      return
    end
    local started = server.client ~= nil
    failed[root] = not started
    forget(root)
    if server.is_stopping then
      return
    elseif not started then
      failure.explain(M.cmd(), code, signal)
    elseif code ~= 0 or signal ~= 0 then
      tell.error(('the server ended (%s); the next :Dossier starts it again'):format(failure.cause(code, signal)))
    end
  end)
end

--- What Neovim is told about the server; also what `lsp/dossier.lua` gives to `vim.lsp.config`.
---@return table
function M.config()
  return {
    name = 'dossier',
    cmd = config.cmd(),
    filetypes = workspace.FILETYPES,
    root_dir = function(buffer, on_dir)
      local root = workspace.cargo_root(vim.fs.dirname(vim.api.nvim_buf_get_name(buffer)))
      if root and not failed[root] then
        on_dir(root)
      end
    end,
    settings = config.server(),
    before_init = before_init,
    on_init = on_init,
    on_exit = on_exit,
    handlers = {
      ['$/progress'] = function(...)
        return require('dossier.request').progress(...)
      end,
      ['dossier/forward'] = function(...)
        return require('dossier.lend').forward(...)
      end,
      ['dossier/changed'] = function(_, params)
        require('dossier.status').changed(neovim.plain(params))
      end,
    },
    commands = require('dossier.command').of_the_server(),
  }
end

local function stop(server, by_force)
  server.is_stopping = true
  local client = vim.lsp.get_client_by_id(server.id)
  if client then
    neovim.call(client, 'stop', by_force)
  end
end

local function give_up_later(root, server)
  vim.defer_fn(function()
    if servers[root] == server and not server.client then
      failed[root] = true
      tell.error(('`%s` did not answer in %d seconds: see :checkhealth dossier'):format(
        table.concat(M.cmd(), ' '),
        STARTING_MS / 1000
      ))
      stop(server, true)
      forget(root)
    end
  end, STARTING_MS)
end

--- Starts a server, where none runs.
---@param root string
---@return table? server none where it cannot be started; the user is told
function M.start(root)
  if servers[root] then
    return servers[root]
  end
  local settings = resolved()
  if type(settings.cmd) == 'table' and vim.fn.executable(settings.cmd[1]) == 0 then
    failed[root] = true
    tell.error(failure.missing(settings.cmd[1]))
    return nil
  end
  settings.root_dir = root
  local server = new_server(root)
  server.id = neovim.start(settings)
  if not server.id then
    failed[root], servers[root] = true, nil
    failure.explain(M.cmd(), 0, 0)
    return nil
  end
  give_up_later(root, server)
  return server
end

--- Starts a server for a buffer that was opened, unless it failed before.
---@param buffer integer
function M.start_for(buffer)
  M.config().root_dir(buffer, M.start)
end

--- Ends the server, and starts it anew.
---@param root string
function M.restart(root)
  local server = servers[root]
  failed[root] = nil
  if server then
    stop(server, false)
    vim.wait(STOPPING_MS, function()
      return servers[root] == nil
    end, 20)
    if servers[root] then
      stop(server, true)
      forget(root)
    end
  end
  M.start(root)
end

--- Hands the present settings to the servers that run, and to those that are started later.
function M.configure()
  if vim.lsp.config then
    -- What was resolved from `lsp/dossier.lua` before is forgotten.
    vim.lsp.config('dossier', {})
  end
  for _, server in pairs(servers) do
    if server.client then
      server.client.settings = config.server()
      neovim.call(server.client, 'notify', 'workspace/didChangeConfiguration', { settings = config.server() })
    end
  end
  if config.autostart() then
    M.autostart()
  end
end

--- Has a server start with the first Rust buffer.
function M.autostart()
  local program = M.cmd()[1]
  if vim.fn.executable(program) == 0 then
    return tell.error(failure.missing(program))
  elseif vim.lsp.enable then
    return vim.lsp.enable('dossier')
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('dossier.autostart', {}),
    pattern = 'rust',
    callback = function(event)
      M.start_for(event.buf)
    end,
  })
end

return M
