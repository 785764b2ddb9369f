--- The settings. Those of the server have the names and meanings of docs/lsp.md and pass through as they are: what is
--- not set is left to the environment and to Dossier's own files.

local M = {}

--- How to start the server, and what else concerns this plugin alone.
M.DEFAULTS = {
  cmd = { 'dossier', 'lsp' },
  autostart = false,
}

--- The names of the server's settings, by section.
local SERVER = {
  context = {
    'budget', 'maxFiles', 'depth', 'tests', 'fill', 'lineNumbers', 'maskSecrets', 'format', 'include', 'exclude',
  },
  model = { 'provider', 'name', 'baseUrl', 'ollamaHost', 'allowRemote', 'planner', 'timeoutSeconds' },
  languageServer = { 'enabled', 'waitSeconds' },
  daemon = { 'enabled' },
  codeLens = { 'enabled' },
}

local set = {}

---@param settings? table
function M.set(settings)
  set = vim.deepcopy(settings or {})
  for _, name in ipairs(M.unknown()) do
    require('dossier.tell').warn(('there is no setting `%s`: see :help dossier-settings'):format(name))
  end
end

--- Names that were set and mean nothing.
---@return string[]
function M.unknown()
  local found = {}
  for name, value in pairs(set) do
    if SERVER[name] then
      for key in pairs(type(value) == 'table' and value or {}) do
        if not vim.list_contains(SERVER[name], key) then
          table.insert(found, ('%s.%s'):format(name, key))
        end
      end
    elseif M.DEFAULTS[name] == nil then
      table.insert(found, tostring(name))
    end
  end
  table.sort(found)
  return found
end

--- The command that starts the server: its program and arguments.
---@return string[]
function M.cmd()
  return set.cmd or M.DEFAULTS.cmd
end

--- Whether the server starts with the first Rust buffer, rather than with the first command.
---@return boolean
function M.autostart()
  return set.autostart == true
end

--- What `workspace/configuration` is answered with.
---@return table
function M.server()
  local settings = vim.empty_dict()
  for section in pairs(SERVER) do
    settings[section] = set[section]
  end
  return { dossier = settings }
end

return M
