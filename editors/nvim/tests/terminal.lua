-- The plugin in a real terminal, as a person uses it: keys go in over tmux, what is drawn is read from the screen. And
-- how long a warm explanation takes, from the key to what is drawn.

local t = require('harness')

--- A person waits no longer for what was asked before, in milliseconds.
local TARGET_MS = 200

local socket = ('dossier-test-%d'):format(vim.fn.getpid())

t.at_end(function()
  vim.system({ 'tmux', '-L', socket, 'kill-server' }):wait()
end)

local function tmux(...)
  local result = vim.system({ 'tmux', '-L', socket, '-f', '/dev/null', ... }, { text = true, timeout = 10000 }):wait()
  t.ok(result.code == 0, 'tmux failed', result.stderr)
  return result.stdout
end

local function screen()
  return tmux('capture-pane', '-p')
end

local function sees(words)
  local ok, why = pcall(t.eventually, 'the screen shows ' .. words, function()
    vim.wait(50)
    return screen():find(words, 1, true)
  end)
  t.ok(ok, why, not ok and screen())
end

local function sees_no(words)
  t.eventually('the screen shows no more ' .. words, function()
    vim.wait(50)
    return not screen():find(words, 1, true)
  end)
end

local function press(...)
  tmux('send-keys', ...)
end

local function type_line(text)
  tmux('send-keys', '-l', text)
  press('Enter')
end

--- Starts Neovim in a terminal of its own.
local function start(file, model)
  local settings = {
    cmd = t.cmd(),
    model = { provider = 'ollama', name = 'slow:7b', ollamaHost = model, planner = 'heuristic' },
  }
  local setup = t.folder() .. '/setup.lua'
  t.write(setup, ('require("dossier").setup(%s)'):format(vim.inspect(settings)))
  tmux('new-session', '-d', '-x', '120', '-y', '40', vim.v.progpath, '-n', '-i', 'NONE', '-u',
    t.init, '-c', 'luafile ' .. setup, file)
end

local function stop()
  press('Escape')
  type_line(':qall!')
  vim.wait(5000, function()
    return vim.system({ 'tmux', '-L', socket, 'has-session' }):wait().code ~= 0
  end, 100)
end

t.test('in a terminal: explain, pin, jump, ask, cancel', function()
  local app = t.fixture('auth_app')
  local ollama = t.ollama()
  start(app .. '/src/main.rs', ollama.host)
  sees('fn main')
  type_line(':Dossier explain Fix login in Authenticator')
  sees(' of 8192 tokens')
  sees('1. src/')
  press('p')
  sees('pinned')
  press('p')
  sees_no('pinned')
  type_line('/src.auth.mod.rs')
  press('Enter')
  sees('impl Authenticator')
  sees_no(' of 8192 tokens')
  type_line(':Dossier preview')
  sees('S sends what follows')
  press('q')
  sees_no('S sends what follows')
  type_line(':Dossier ask')
  sees('q cancels')
  sees('stops at')
  press('q')
  sees('cancelled')
  sees('stops at')
  press('q')
  sees_no('stops at')
  stop()
end)

local function median(times)
  table.sort(times)
  return (times[#times / 2] + times[#times / 2 + 1]) / 2
end

--- Measures in a workspace; the numbers are printed.
local function measure(name, file, task)
  start(file, '127.0.0.1:9')
  local out = t.folder() .. '/times'
  type_line((':lua require("bench").run(%q, %q)'):format(out, task))
  local times = t.eventually('the times are measured', function()
    return vim.uv.fs_stat(out) and vim.json.decode(t.read(out))
  end, 180000)
  stop()
  local p50 = median(times)
  io.stdout:write(('     warm explain in %s: p50 %.0f ms, slowest %.0f ms (of %d)\n'):format(
    name,
    p50,
    times[#times],
    #times
  ))
  t.ok(p50 <= TARGET_MS, ('slower than %d ms'):format(TARGET_MS), times)
end

t.test('a warm explanation comes at once', function()
  measure('the fixture', t.fixture('auth_app') .. '/src/auth/mod.rs', 'Fix login in Authenticator')
end)

local workspace = vim.env.EDITOR_BENCH_WORKSPACE or ''
if workspace ~= '' then
  t.test('a warm explanation comes at once in a large workspace', function()
    local largest = vim.iter(vim.fn.globpath(workspace, '**/*.rs', false, true)):fold('', function(best, path)
      return vim.fn.getfsize(path) > vim.fn.getfsize(best) and path or best
    end)
    measure(workspace, largest, 'Explain ' .. vim.fn.fnamemodify(largest, ':t'))
  end)
end

t.finish()
