--- The floating window with what a model would be given, and why: a fold for each file.

local places = require('dossier.places')
local view_of = require('dossier.view')
local window = require('dossier.window')

local M = {}

--- How much of a long task is shown, in lines.
local TASK_LINES = 3

--- The buffer that shows a view, its workspace, and the page in it.
local shown = { buffer = nil, root = nil, page = nil }

local NAMESPACE = vim.api.nvim_create_namespace('dossier.explain')

local function facts(view)
  local budget, server = view.budget, view.languageServer or {}
  local words = {
    ('%d of %d tokens (%s)'):format(budget.used, budget.limit, budget.tokenizer or 'o200k_base'),
    ('confidence %d %%'):format(math.floor((view.confidence or 0) * 100 + 0.5)),
  }
  if server.state then
    table.insert(words, ('%s %s%s'):format(
      server.name or 'rust-analyzer',
      server.state,
      server.choice and server.choice ~= 'none' and (' (%s)'):format(server.choice) or ''
    ))
  end
  return table.concat(words, ' · ')
end

--- Lines, and by line what it stands for (`targets`), its fold level as `foldexpr` wants it, and its highlight group.
local Page = {}
Page.__index = Page

function Page:add(text, style, target)
  for _, line in ipairs(vim.split(text, '\n')) do
    table.insert(self.lines, line)
    self.folds[#self.lines] = style.fold
    self.groups[#self.lines] = style.group
    self.targets[#self.lines] = target
  end
end

local PLAIN = { fold = 0 }
local TITLE = { fold = 0, group = 'DossierTitle' }
local FACTS = { fold = 0, group = 'DossierReason' }
local FILE = { fold = '>1', group = 'DossierFile' }
local RANGE = { fold = 1, group = 'DossierRange' }
local REASON = { fold = 1, group = 'DossierReason' }
local OPEN = { head = { fold = '>1', group = 'DossierTitle' }, entry = { fold = 1, group = 'DossierReason' } }
-- One deeper than files: these start closed.
local CLOSED = { head = { fold = '>2', group = 'DossierTitle' }, entry = { fold = 2, group = 'DossierReason' } }

local function add_task(page, task)
  local lines = vim.split(task, '\n')
  page:add(table.concat(lines, '\n', 1, math.min(#lines, TASK_LINES)), TITLE)
  if #lines > TASK_LINES then
    page:add(('… %d more lines'):format(#lines - TASK_LINES), FACTS)
  end
end

local function add_file(page, file)
  local words = { file.level, ('%d tokens'):format(file.tokens) }
  if file.pinned then
    table.insert(words, 'pinned')
  end
  page:add(('%d. %s · %s'):format(file.rank, file.path, table.concat(words, ' · ')), FILE, { file = file })
  for _, range in ipairs(file.ranges or {}) do
    page:add('  lines ' .. places.words(range), RANGE, { file = file, range = range })
  end
  for _, reason in ipairs(file.reasons or {}) do
    page:add(('  %.2f  %s'):format(reason.weight or 0, places.reason(reason)), REASON, { file = file })
  end
end

local function add_list(page, title, lines, styles)
  if #lines > 0 then
    page:add('', PLAIN)
    page:add(title, styles.head)
    for _, line in ipairs(lines) do
      page:add('  ' .. line[1]:gsub('\n', '\n  '), styles.entry, line[2])
    end
  end
end

local function dropped(view)
  return vim.tbl_map(function(file)
    return { ('%s · %s'):format(file.path, file.why), { file = file } }
  end, view.dropped or {})
end

local function sentences(list)
  return vim.tbl_map(function(sentence)
    return { type(sentence) == 'table' and sentence.text or sentence }
  end, list or {})
end

local function refused(view)
  return vim.tbl_map(function(one)
    return { ('%s · %s'):format(one.name, one.why) }
  end, view.refused or {})
end

local function page_of(view)
  local page = setmetatable({ lines = {}, folds = {}, groups = {}, targets = {} }, Page)
  add_task(page, view.task)
  page:add(facts(view), FACTS)
  page:add('', PLAIN)
  page.first = #page.lines + 1
  for _, file in ipairs(view.files) do
    add_file(page, file)
  end
  add_list(page, ('Left out (%d)'):format(#(view.dropped or {})), dropped(view), CLOSED)
  add_list(page, 'Excluded by hand', sentences(view.excluded), OPEN)
  add_list(page, 'Pinned, and not to be had', refused(view), OPEN)
  add_list(page, 'Plan', sentences(view.plan), CLOSED)
  add_list(page, 'Notes', sentences(view.notes), OPEN)
  return page
end

--- The fold level of a line, for 'foldexpr'.
---@param line integer
---@return integer|string
function M.fold(line)
  return shown.page and shown.page.folds[line] or 0
end

local function draw(view)
  shown.page = page_of(view)
  window.set_lines(shown.buffer, shown.page.lines)
  vim.api.nvim_buf_clear_namespace(shown.buffer, NAMESPACE, 0, -1)
  for line, group in pairs(shown.page.groups) do
    vim.api.nvim_buf_set_extmark(shown.buffer, NAMESPACE, line - 1, 0, { line_hl_group = group })
  end
end

local function target()
  return shown.page.targets[vim.api.nvim_win_get_cursor(0)[1]]
end

local function jump()
  local at = target()
  if at then
    local range = at.range or (at.file.ranges or {})[1]
    window.close()
    places.jump(shown.root, at.file.uri, range)
  end
end

local function toggle(list, add, remove)
  return function()
    local at = target()
    if at then
      local present = (view_of.present(shown.root) or {})[list] or {}
      local change = vim.list_contains(present, at.file.path) and remove or add
      view_of.edit(shown.root, { [change] = { at.file.path } }, function() end)
    end
  end
end

--- Goes on with the same task in another way.
local function go_on(name)
  return function()
    window.close()
    require('dossier.command').act(name, shown.root, { folder = vim.uri_from_fname(shown.root) })
  end
end

local function change_budget()
  local view = view_of.present(shown.root)
  vim.ui.input({ prompt = 'Tokens: ', default = view and tostring(view.budget.limit) }, function(typed)
    if tonumber(typed) then
      view_of.edit(shown.root, { budget = tonumber(typed) })
    end
  end)
end

local function set_keys(buffer)
  window.key(buffer, '<CR>', 'go there', jump)
  window.key(buffer, 'p', 'pin, or no more', toggle('pinned', 'pin', 'unpin'))
  window.key(buffer, 'x', 'exclude, or no more', toggle('excluded', 'exclude', 'include'))
  window.key(buffer, 'B', 'change the budget', change_budget)
  window.key(buffer, 'a', 'ask the model', go_on('ask'))
  window.key(buffer, 's', 'show what would be sent', go_on('preview'))
  window.key(buffer, 'c', 'copy the dossier', go_on('copy'))
  window.key(buffer, 'o', 'to the quickfix list', go_on('quickfix'))
  window.key(buffer, 'q', 'close', window.close)
  window.key(buffer, '<Esc>', 'close', window.close)
end

local function set_highlights()
  for group, link in pairs({
    DossierTitle = 'Title',
    DossierFile = 'Directory',
    DossierRange = 'Number',
    DossierReason = 'Comment',
  }) do
    vim.api.nvim_set_hl(0, group, { link = link, default = true })
  end
end

local function open(root, view)
  set_highlights()
  shown = { buffer = window.buffer('explain', root, {}), root = root }
  vim.bo[shown.buffer].bufhidden = 'wipe'
  vim.bo[shown.buffer].filetype = 'dossier'
  set_keys(shown.buffer)
  draw(view)
  local opened = window.float(shown.buffer, 'Dossier')
  local options = vim.wo[opened][0]
  options.foldmethod, options.foldexpr = 'expr', "v:lua.require'dossier.explain'.fold(v:lnum)"
  options.foldtext = 'getline(v:foldstart)'
  options.foldlevel, options.foldenable, options.fillchars = 1, true, 'fold: '
  options.cursorline = true
  vim.api.nvim_win_set_cursor(opened, { math.min(shown.page.first, #shown.page.lines), 0 })
end

local function is_open(root)
  return shown.root == root
    and shown.buffer
    and vim.api.nvim_buf_is_valid(shown.buffer)
    and window.of(shown.buffer) ~= nil
end

--- Draws a view anew, where the window shows that folder.
---@param root string
---@param view table
function M.refresh(root, view)
  if is_open(root) then
    local at = window.of(shown.buffer)
    local cursor = vim.api.nvim_win_get_cursor(at)
    draw(view)
    cursor[1] = math.min(cursor[1], vim.api.nvim_buf_line_count(shown.buffer))
    vim.api.nvim_win_set_cursor(at, cursor)
  end
end

--- Shows a view.
---@param root string
---@param view table
function M.show(root, view)
  if is_open(root) then
    M.refresh(root, view)
  else
    open(root, view)
  end
end

return M
