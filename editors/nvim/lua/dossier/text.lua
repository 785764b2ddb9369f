--- What goes out as text: the dossier in a buffer or in a register, and the preview of what a model would be sent.

local request = require('dossier.request')
local tell = require('dossier.tell')
local window = require('dossier.window')

local M = {}

local function fetch(root, ask, show)
  request.send(root, 'dossier/context', ask, {
    result = function(dossier)
      show(dossier)
      tell.notes(dossier.notes)
    end,
  })
end

local FILETYPES = { markdown = 'markdown', xml = 'xml' }

--- Shows the dossier in a split.
---@param root string
---@param ask table
---@param modifiers? table
function M.context(root, ask, modifiers)
  fetch(root, ask, function(dossier)
    local buffer = window.buffer('context', root, vim.split(dossier.text, '\n'))
    vim.bo[buffer].modifiable = false
    window.key(buffer, 'q', 'close', window.close)
    window.split(buffer, modifiers)
    vim.bo[buffer].filetype = FILETYPES[dossier.format] or 'text'
  end)
end

--- Copies the dossier: to the clipboard, where there is one, and to the unnamed register.
---@param root string
---@param ask table
function M.copy(root, ask)
  fetch(root, ask, function(dossier)
    local has_clipboard = vim.fn.has('clipboard') == 1
    vim.fn.setreg('"', dossier.text)
    if has_clipboard then
      vim.fn.setreg('+', dossier.text)
    end
    local place = has_clipboard and 'the clipboard' or 'register " (no clipboard here: see :help clipboard)'
    tell.info(('%d files, %d of %d tokens, are in %s'):format(
      type(dossier.files) == 'table' and #dossier.files or dossier.files,
      dossier.tokens,
      dossier.limit,
      place
    ))
  end)
end

local function count(value)
  return type(value) == 'table' and #value or value or 0
end

--- What is said of it above the text: as lines, since much of it must be read.
local function facts(prompt)
  local lines = {
    ('%s, %s'):format(prompt.model, prompt.isRemote and 'NOT on this machine' or 'on this machine'),
    ('%d tokens · %d files · secrets masked: %d'):format(prompt.tokens, count(prompt.files), count(prompt.masked)),
  }
  for _, note in ipairs(prompt.notes or {}) do
    vim.list_extend(lines, vim.split(note.text, '\n'))
  end
  if prompt.isAllowed == false then
    table.insert(lines, 'It is not allowed: see model.allowRemote in :help dossier-settings')
  else
    table.insert(lines, 'Nothing is sent yet: S sends what follows, q closes')
  end
  return lines
end

local function rule(title)
  return ('━━━ %s ━━━'):format(title)
end

--- Every character that would be sent, each message under a line with its number.
local function lines_of(prompt)
  local lines = facts(prompt)
  table.insert(lines, rule('instructions'))
  vim.list_extend(lines, vim.split(prompt.system or '', '\n'))
  for number, message in ipairs(prompt.messages) do
    table.insert(lines, rule(('message %d'):format(number)))
    vim.list_extend(lines, vim.split(message, '\n'))
  end
  return lines
end

--- Shows exactly what a model would be sent, and sends nothing.
---@param root string
---@param ask table
---@param modifiers? table
function M.preview(root, ask, modifiers)
  local asked = vim.tbl_extend('force', ask, { preview = true })
  request.send(root, 'dossier/prompt', asked, {
    result = function(prompt)
      local buffer = window.buffer('preview', root, lines_of(prompt))
      vim.bo[buffer].modifiable = false
      window.key(buffer, 'q', 'close', window.close)
      window.key(buffer, 'S', 'send it', function()
        window.close()
        local same = vim.tbl_extend('force', ask, { previewed = prompt.id })
        require('dossier.answer').open(root, same, modifiers)
      end)
      window.split(buffer, modifiers)
      vim.bo[buffer].filetype = 'markdown'
    end,
  })
end

return M
