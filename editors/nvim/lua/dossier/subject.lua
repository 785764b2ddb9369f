--- What a command is about: its words, its range, its folder, as an `Ask` of docs/lsp.md.

local workspace = require('dossier.workspace')

local M = {}

--- The selection, where the command's range is the one that was selected last, and it was not by whole lines.
local function selection(typed, encoding)
  local first, last = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if typed.range ~= 2 or vim.fn.visualmode() ~= 'v' or first[2] ~= typed.line1 or last[2] ~= typed.line2 then
    return nil
  end
  local width = #vim.fn.getline(last[2])
  local stop = math.max(math.min(last[3], width) - 1, 0)
  return vim.lsp.util.make_given_range_params({ first[2], first[3] - 1 }, { last[2], stop }, 0, encoding).range
end

local function lines(typed)
  return {
    start = { line = typed.line1 - 1, character = 0 },
    ['end'] = { line = typed.line2, character = 0 },
  }
end

--- The task of a command with a bang and a range: the text of the lines.
local function text_of(typed)
  local text = vim.api.nvim_buf_get_lines(0, typed.line1 - 1, typed.line2, false)
  return table.concat(text, '\n')
end

--- What a command asks about.
---@param typed table as given to a command of the user's, with `words`, its text behind the subcommand
---@return table ask, string root
function M.of(typed)
  local root = workspace.root()
  local ask = { folder = vim.uri_from_fname(root) }
  if typed.words ~= '' then
    ask.task = typed.words
  end
  if typed.range > 0 and typed.bang then
    ask.task = text_of(typed) .. (ask.task and '\n\n' .. ask.task or '')
  elseif typed.range > 0 then
    ask.textDocument = vim.lsp.util.make_text_document_params(0)
    ask.range = selection(typed, require('dossier.client').encoding(root)) or lines(typed)
  end
  return ask, root
end

--- Calls back with a task: the one there is, the folder's present one, or what the user types now.
---@param ask table
---@param root string
---@param go fun(ask: table)
function M.with_task(ask, root, go)
  local view = require('dossier.view')
  if ask.task or ask.range or view.present(root) then
    return go(ask)
  end
  vim.ui.input({ prompt = 'Task: ', default = view.last_task(root) }, function(task)
    if task and vim.trim(task) ~= '' then
      ask.task = task
      go(ask)
    end
  end)
end

return M
