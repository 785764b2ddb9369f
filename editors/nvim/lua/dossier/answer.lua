--- A model's answer, as it comes, in a Markdown buffer of its own.

local request = require('dossier.request')
local window = require('dossier.window')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('dossier.answer')

--- Half of a usual screen.
local REMARK_COLUMNS = 60

local function set_bar(buffer, words)
  local at = window.of(buffer)
  if at then
    vim.wo[at][0].winbar = words:gsub('%%', '%%%%')
  end
end

--- Whether a window stands at the end of the buffer, so that it should stay there.
local function windows_at_end(buffer)
  local last = vim.api.nvim_buf_line_count(buffer)
  return vim.tbl_filter(function(at)
    return vim.api.nvim_win_get_cursor(at)[1] == last
  end, vim.fn.win_findbuf(buffer))
end

local function append(buffer, text)
  local following = windows_at_end(buffer)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  local width = #vim.api.nvim_buf_get_lines(buffer, last, last + 1, false)[1]
  vim.api.nvim_buf_set_text(buffer, last, width, last, width, vim.split(text, '\n'))
  for _, at in ipairs(following) do
    vim.api.nvim_win_set_cursor(at, { vim.api.nvim_buf_line_count(buffer), 0 })
  end
end

--- In lines that fit in a narrow split: what is shown below the text is cut off, not wrapped.
local function wrapped(words)
  local lines = { '' }
  for _, word in ipairs(vim.split(words, '%s+')) do
    local longer = lines[#lines] == '' and word or lines[#lines] .. ' ' .. word
    if vim.fn.strdisplaywidth(longer) > REMARK_COLUMNS then
      table.insert(lines, word)
    else
      lines[#lines] = longer
    end
  end
  return lines
end

--- Shows lines below the text that are no part of it. Those of one place are one mark: so they keep their order.
local function remark(buffer, words, group)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  local mark = vim.api.nvim_buf_get_extmarks(buffer, NAMESPACE, { last, 0 }, { last, -1 }, { details = true })[1]
  local lines = mark and mark[4].virt_lines or {}
  for _, line in ipairs(wrapped(words)) do
    table.insert(lines, { { line, group or 'Comment' } })
  end
  vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, last, 0, { id = mark and mark[1], virt_lines = lines })
end

local function summary(answer)
  return ('%s · sent %d tokens · received %d · %.1f s'):format(
    answer.model,
    answer.sent or 0,
    answer.received or 0,
    (answer.tookMs or 0) / 1000
  )
end

local function set_up(buffer, root, cancel)
  vim.bo[buffer].buflisted = true
  vim.bo[buffer].bufhidden = 'hide'
  -- So that `gf` and `gF` open the files that the answer names.
  vim.bo[buffer].path = vim.fn.escape(root, ' ,\\') .. ',,'
  window.key(buffer, 'q', 'cancel; then close', cancel)
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buffer,
    callback = function()
      cancel(true)
    end,
  })
end

--- Sends the dossier, and shows what comes. Called because the user asked for it in this moment.
---@param root string
---@param ask table
---@param modifiers? table of the command, for the window
function M.open(root, ask, modifiers)
  local buffer = window.buffer('answer', root, { '' })
  local asking
  local is_running = true

  local function ended(words)
    is_running = false
    if vim.api.nvim_buf_is_loaded(buffer) then
      set_bar(buffer, words)
    end
  end

  local function cancel(is_going)
    if is_running then
      asking.cancel()
      ended('cancelled · q closes')
      if is_going ~= true then
        remark(buffer, 'cancelled', 'WarningMsg')
      end
    elseif is_going ~= true then
      window.close()
    end
  end

  set_up(buffer, root, cancel)
  window.split(buffer, modifiers)
  set_bar(buffer, 'waiting for the model · q cancels')

  local told = {}

  local function note(text)
    if not told[text] then
      told[text] = true
      remark(buffer, text)
    end
  end

  asking = request.send(root, 'dossier/prompt', ask, {
    progress = function(value)
      if not is_running then
        return
      elseif value.text then
        append(buffer, value.text)
        set_bar(buffer, 'answering · q cancels')
      elseif value.note then
        note(value.note)
      end
    end,
    result = function(answer)
      ended((answer.isComplete == false and 'NOT COMPLETE' or 'done') .. ' · q closes')
      for _, one in ipairs(answer.notes or {}) do
        note(one.text)
      end
      remark(buffer, summary(answer))
      for _, file in ipairs(answer.files or {}) do
        remark(buffer, 'sent: ' .. file.path)
      end
    end,
    failure = function(err)
      ended('broken off · q closes')
      remark(buffer, err.message, 'ErrorMsg')
    end,
  })
  vim.bo[buffer].filetype = 'markdown'
end

return M
