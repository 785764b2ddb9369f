--- A small frame for the tests: each has a name, all run in one Neovim, and the process says by its exit code whether all
--- went well.

local M = {}

local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
local repository = vim.fs.normalize(here .. '/../../..')

--- The configuration of the tests.
M.init = here .. '/init.lua'

--- How long something that must come is waited for, in milliseconds: as much as a busy machine may need.
M.PATIENCE_MS = 30000

local scratch = assert(vim.env.EDITOR_TEST_RUN, 'run ci/nvim.sh')

--- What the user was told, newest last: `{ text, level }`.
M.told = {}

vim.notify = function(text, level)
  table.insert(M.told, { text = text, level = level or vim.log.levels.INFO })
end

--- What Neovim calls outdated of what the plugin uses.
local outdated = {}

vim.deprecate = function(name)
  outdated[name] = debug.traceback()
end

local tests, only = {}, vim.env.EDITOR_TEST_ONLY

---@param name string
---@param body fun()
function M.test(name, body)
  if not only or name:find(only, 1, true) then
    table.insert(tests, { name = name, body = body })
  end
end

local function fail(words, value)
  error(words .. (value ~= nil and ('\n' .. vim.inspect(value)) or ''), 3)
end

---@param value any
---@param words string
---@param shown? any what is printed besides, when it does not hold
function M.ok(value, words, shown)
  if not value then
    fail(words, shown)
  end
  return value
end

function M.equal(found, expected, words)
  if not vim.deep_equal(found, expected) then
    fail((words or 'not equal') .. ': expected ' .. vim.inspect(expected) .. ', found', found)
  end
end

function M.contains(text, part)
  if not text:find(part, 1, true) then
    fail(('does not contain %q'):format(part), text)
  end
end

--- Waits until something holds, and gives what it is.
---@param words string
---@param condition fun(): any
---@param patience? integer milliseconds
function M.eventually(words, condition, patience)
  local value
  local held = vim.wait(patience or M.PATIENCE_MS, function()
    value = condition()
    return value
  end, 10)
  if not held then
    fail('never: ' .. words, { told = M.told, buffer = vim.api.nvim_buf_get_name(0), lines = M.lines() })
  end
  return value
end

---@param buffer? integer
---@return string[]
function M.lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false)
end

---@param buffer? integer
---@return string
function M.text(buffer)
  return table.concat(M.lines(buffer), '\n')
end

--- Types keys, as from the keyboard.
---@param keys string as in a mapping
function M.keys(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'mtx', false)
end

--- The newest thing that the user was told, with these words in it.
---@param part string
---@return table?
function M.was_told(part)
  for index = #M.told, 1, -1 do
    if M.told[index].text:find(part, 1, true) then
      return M.told[index]
    end
  end
end

--- A folder with a copy of a fixture, for this test alone.
---@param name string
---@return string
function M.fixture(name)
  local folder = M.folder()
  assert(vim.fn.system({ 'cp', '-r', repository .. '/fixtures/' .. name, folder }) == '')
  return folder .. '/' .. name
end

local folders = 0

--- An empty folder.
---@return string
function M.folder()
  folders = folders + 1
  local folder = ('%s/%d-%d'):format(scratch, vim.fn.getpid(), folders)
  vim.fn.mkdir(folder, 'p')
  return folder
end

---@param path string
---@param text string
---@param mode? integer
function M.write(path, text, mode)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  file:write(text)
  file:close()
  if mode then
    assert(vim.uv.fs_chmod(path, mode))
  end
end

---@param path string
---@return string
function M.read(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

--- The program under test, as the plugin is to start it.
---@return string[]
function M.cmd()
  return { vim.env.DOSSIER, 'lsp' }
end

local at_end = {}

--- Has something done before the process ends, however the tests go.
---@param go fun()
function M.at_end(go)
  table.insert(at_end, go)
end

--- Starts the stand-in for Ollama.
---@param env? table<string, string>
---@return { host: string, log: fun(): table[], stop: fun() }
function M.ollama(env)
  local log = M.folder() .. '/log'
  local host
  local process = vim.system({ 'node', vim.env.OLLAMA_DOUBLE }, {
    env = vim.tbl_extend('force', { OLLAMA_LOG = log }, env or {}),
    stdout = function(_, text)
      host = host or text and vim.trim(text)
    end,
  })
  M.at_end(function()
    process:kill('sigkill')
  end)
  M.eventually('the stand-in for Ollama starts', function()
    return host
  end)
  return {
    host = host,
    log = function()
      local text = vim.uv.fs_stat(log) and M.read(log) or ''
      return vim.tbl_map(vim.json.decode, vim.split(text, '\n', { trimempty = true }))
    end,
    stop = function()
      process:kill('sigkill')
    end,
  }
end

--- Called before each test.
M.before = function() end

local function run(test)
  M.before()
  M.told = {}
  local started = vim.uv.hrtime()
  local is_well, why = xpcall(test.body, function(err)
    return debug.traceback(tostring(err), 2)
  end)
  -- Whatever a test left open.
  vim.cmd('tabnew | tabonly!')
  local took = (vim.uv.hrtime() - started) / 1e9
  io.stdout:write(('%s %s (%.1f s)\n'):format(is_well and 'ok  ' or 'FAIL', test.name, took))
  if not is_well then
    io.stdout:write(why, '\n', 'told: ', vim.inspect(M.told), '\n')
  end
  return is_well
end

--- Runs all tests, and ends the process.
function M.finish()
  vim.o.columns, vim.o.lines = 120, 40
  local failures = 0
  for _, test in ipairs(tests) do
    failures = failures + (run(test) and 0 or 1)
  end
  for name, trace in pairs(outdated) do
    if trace:find('lua/dossier/', 1, true) then
      failures = failures + 1
      io.stdout:write(('FAIL the plugin uses %s, which is outdated\n%s\n'):format(name, trace))
    end
  end
  for _, go in ipairs(at_end) do
    go()
  end
  vim.cmd(failures == 0 and 'qall!' or 'cquit 1')
end

return M
