--- What the user is told, in the editor's own way.

local M = {}

local function told_at(level)
  return function(text)
    vim.notify('dossier: ' .. text, level, { title = 'Dossier' })
  end
end

M.info = told_at(vim.log.levels.INFO)
M.warn = told_at(vim.log.levels.WARN)
M.error = told_at(vim.log.levels.ERROR)

local told = {}

--- The notes of a result that are more than information, each once.
---@param notes? { level: string, text: string }[]
function M.notes(notes)
  for _, note in ipairs(notes or {}) do
    if not told[note.text] and (note.level == 'warning' or note.level == 'error') then
      told[note.text] = true
      M[note.level == 'error' and 'error' or 'warn'](note.text)
    end
  end
end

return M
