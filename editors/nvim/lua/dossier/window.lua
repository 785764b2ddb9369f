--- The windows and buffers that Dossier shows things in.

local M = {}

--- Share of the screen that a floating window may fill, and the columns beyond which lines are hard to read.
local SHARE = 0.8
local WIDEST = 120

--- A number for each name, so that no two buffers have the same one.
local counts = {}

--- A buffer that is no file.
---@param kind string `explain`, `answer`, …: it is called `dossier://kind/N`
---@param root string the workspace that it is about
---@param lines string[]
---@return integer buffer
function M.buffer(kind, root, lines)
  counts[kind] = (counts[kind] or 0) + 1
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, ('dossier://%s/%d'):format(kind, counts[kind]))
  vim.b[buffer].dossier_root = root
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  return buffer
end

---@param buffer integer
---@param lines string[]
function M.set_lines(buffer, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
end

---@param buffer integer
---@return integer? window that shows it in this tab page
function M.of(buffer)
  local window = vim.fn.bufwinid(buffer)
  return window ~= -1 and window or nil
end

--- Opens a floating window in the middle of the screen, tall enough for its lines.
---@param buffer integer
---@param title string
---@return integer window
function M.float(buffer, title)
  local width = math.min(math.floor(vim.o.columns * SHARE), WIDEST)
  local height = math.floor(vim.o.lines * SHARE)
  height = math.max(1, math.min(height, vim.api.nvim_buf_line_count(buffer)))
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = 'editor',
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    style = 'minimal',
    border = 'rounded',
    title = (' %s '):format(title),
    title_pos = 'center',
  })
  -- A file that is opened from here would stand in the floating window.
  vim.wo[window].winfixbuf = true
  vim.wo[window][0].wrap = true
  vim.wo[window][0].linebreak = true
  vim.wo[window][0].breakindent = true
  return window
end

--- Opens a split as the command's modifiers say (`:tab`, `:topleft` …); to the side where they say nothing.
---@param buffer integer
---@param modifiers? table
---@return integer window
function M.split(buffer, modifiers)
  local mods = vim.deepcopy(modifiers or {})
  if not mods.horizontal and (mods.tab or -1) < 0 then
    mods.vertical = true
  end
  vim.cmd({ cmd = 'sbuffer', args = { tostring(buffer) }, mods = mods })
  local window = vim.api.nvim_get_current_win()
  vim.wo[window][0].wrap = true
  vim.wo[window][0].linebreak = true
  return window
end

--- A key in a buffer of ours.
---@param buffer integer
---@param key string
---@param does string in a few words
---@param go fun()
function M.key(buffer, key, does, go)
  vim.keymap.set('n', key, go, { buffer = buffer, nowait = true, desc = 'Dossier: ' .. does })
end

--- Closes the current window; the last one shows an empty buffer in its place.
function M.close()
  if not pcall(vim.api.nvim_win_close, 0, false) then
    vim.cmd.enew()
  end
end

return M
