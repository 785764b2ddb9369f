--- How the server and its folders are.

local client = require('dossier.client')
local request = require('dossier.request')
local window = require('dossier.window')

local M = {}

--- By root: what `dossier/changed` told last.
local states = {}

--- Handles `dossier/changed`.
---@param state table
function M.changed(state)
  local root = vim.fs.normalize(vim.uri_to_fname(state.folder))
  -- What it leaves out is as it was.
  states[root] = vim.tbl_extend('force', states[root] or {}, state)
  vim.schedule(function()
    vim.cmd('redrawstatus!')
  end)
end

local function server_words(server)
  if not server then
    return 'no language server'
  end
  local percent = server.state ~= 'ready' and server.loadedPercent and (' %d %%'):format(server.loadedPercent) or ''
  local choice = server.choice and server.choice ~= 'none' and (' (%s)'):format(server.choice) or ''
  return ('%s %s%s%s'):format(server.name or 'rust-analyzer', server.state or '', percent, choice)
end

--- The root of the server that the current buffer belongs to. Looks nothing up: it is asked with every redraw.
local function known_root()
  local name = vim.api.nvim_buf_get_name(0)
  for root in pairs(client.all()) do
    if vim.startswith(name, root .. '/') or vim.b.dossier_root == root then
      return root
    end
  end
end

---@return string
function M.line()
  local root = known_root()
  local state = states[root]
  if not root then
    return ''
  elseif not state then
    return client.get(root).client and 'dossier' or 'dossier …'
  end
  return ('dossier: %d files, %s'):format(state.files or 0, server_words(state.languageServer))
end

local function model_words(model)
  if not model or not model.name then
    return 'no model'
  end
  local where = model.isRemote and 'not on this machine' or 'on this machine'
  return ('%s (%s)%s'):format(model.name, where, model.isAllowed == false and ', not allowed' or '')
end

local function folder_lines(folder)
  local lines = {
    '',
    folder.root or folder.folder,
    ('  %s · %d files · index %.1f s old, generation %d · %s'):format(
      folder.isRust and 'Rust' or 'no Rust',
      folder.files or 0,
      (folder.indexAgeMs or 0) / 1000,
      folder.generation or 0,
      folder.isWatched and 'watched' or 'not watched'
    ),
    '  ' .. server_words(folder.languageServer),
  }
  if folder.task then
    table.insert(lines, '  task: ' .. vim.split(folder.task, '\n')[1])
  end
  for _, note in ipairs(folder.notes or {}) do
    table.insert(lines, '  ' .. (type(note) == 'table' and note.text or note):gsub('\n', ' '))
  end
  return lines
end

--- The status in words.
---@param status table
---@return string[]
function M.lines(status)
  local source = status.source or {}
  local lines = {
    ('Dossier %s, process %s'):format(status.version, status.process),
    ('  answers come from %s (process %s)%s'):format(
      source.kind == 'daemon' and 'the daemon' or 'its own process',
      source.process or status.process,
      source.why and ': ' .. source.why or ''
    ),
    '  model: ' .. model_words(status.model),
  }
  for _, folder in ipairs(status.folders or {}) do
    vim.list_extend(lines, folder_lines(folder))
  end
  return lines
end

--- Shows the status in a floating window.
---@param root string
function M.show(root)
  request.send(root, 'dossier/status', { folder = vim.uri_from_fname(root) }, {
    result = function(status)
      local buffer = window.buffer('status', root, M.lines(status))
      vim.bo[buffer].bufhidden = 'wipe'
      vim.bo[buffer].modifiable = false
      window.key(buffer, 'q', 'close', window.close)
      window.key(buffer, '<Esc>', 'close', window.close)
      window.float(buffer, 'Dossier: status')
    end,
  })
end

return M
