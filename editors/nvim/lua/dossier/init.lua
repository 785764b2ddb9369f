--- What a user's own configuration calls. None of it has to be called: `:Dossier` works without.

local M = {}

--- Takes settings (see |dossier-settings|) and hands them to the servers that run. May be called again.
---@param settings? table
function M.setup(settings)
  require('dossier.config').set(settings)
  require('dossier.client').configure()
end

--- One line for a status line about the folder of the current buffer; empty where no server runs for it.
---@return string
function M.statusline()
  return require('dossier.status').line()
end

return M
