-- Bad input: the user is told what it was and what to do, nothing is lost, and the session goes on.

local t = require('harness')

local ERROR = vim.log.levels.ERROR

local function setup(settings)
  require('dossier').setup(vim.tbl_deep_extend('force', { cmd = t.cmd() }, settings or {}))
end

t.before = setup

local function in_float()
  return vim.api.nvim_win_get_config(0).relative ~= ''
end

local function explains(task)
  vim.cmd('Dossier explain ' .. task)
  t.eventually('the explanation is shown', function()
    return in_float() and t.text():find('src/auth/mod.rs', 1, true)
  end)
end

--- What the plugin told; Neovim tells by itself that a server quit.
local function own()
  return vim.tbl_filter(function(message)
    return vim.startswith(message.text, 'dossier: ')
  end, t.told)
end

--- A program in place of Dossier, which counts how often it is started as a server.
local function program(version, help, serve)
  local folder = t.folder()
  local path = folder .. '/dossier'
  t.write(path, ([[#!/bin/sh
case "$1 $2" in
"--version "*) %s ;;
"lsp --help") %s ;;
*) echo x >>"%s/starts"; %s ;;
esac
]]):format(version, help, folder, serve), 493)
  return { path, 'lsp' }, function()
    return vim.uv.fs_stat(folder .. '/starts') and #vim.split(t.read(folder .. '/starts'), '\n', { trimempty = true }) or 0
  end
end

t.test('the program is missing', function()
  local app = t.fixture('auth_app')
  setup({ cmd = { app .. '/no-dossier', 'lsp' } })
  vim.cmd.edit(app .. '/src/main.rs')
  vim.cmd('Dossier explain Fix login')
  t.contains(t.told[1].text, 'no-dossier` is not found')
  t.contains(t.told[1].text, 'cargo install')
  t.equal(t.told[1].level, ERROR)
  t.told = {}
  vim.cmd.edit(app .. '/src/lib.rs')
  vim.wait(300)
  t.equal(t.told, {}, 'a buffer that is opened starts nothing')
  setup()
  explains('Fix login in Authenticator')
end)

t.test('the program does not run', function()
  local app = t.fixture('auth_app')
  setup({ cmd = (program('echo "libfoo.so: no such file" >&2; exit 127', 'exit 1', 'exit 127')) })
  vim.cmd.edit(app .. '/src/main.rs')
  vim.cmd('Dossier explain Fix login')
  t.eventually('the user is told', function()
    return t.was_told('does not run: libfoo.so: no such file')
  end)
end)

t.test('the program is too old', function()
  local app = t.fixture('auth_app')
  local cmd, starts = program('echo dossier 0.0.1', 'exit 2', 'echo "unrecognized subcommand" >&2; exit 2')
  setup({ cmd = cmd })
  vim.cmd.edit(app .. '/src/main.rs')
  vim.cmd('Dossier explain Fix login')
  t.eventually('the user is told', function()
    return t.was_told('dossier 0.0.1') and t.was_told('too old')
  end)
  t.equal(#own(), 1, 'once')
  t.equal(starts(), 1)
  vim.cmd('checkhealth dossier')
  t.contains(t.text(), 'it has no `lsp`')
  vim.cmd('bwipeout!')
end)

t.test('the program crashes at the start, and is not started for ever', function()
  local app = t.fixture('auth_app')
  local cmd, starts = program('echo dossier 9.9.9', 'exit 0', 'exit 101')
  setup({ cmd = cmd, autostart = true })
  vim.cmd.edit(app .. '/src/main.rs')
  t.eventually('the user is told', function()
    return t.was_told('ended while it started (exit code 101)')
  end)
  t.contains(own()[1].text, ':Dossier restart')
  for _, path in ipairs({ 'src/lib.rs', 'src/config.rs', 'src/http.rs' }) do
    vim.cmd.edit(app .. '/' .. path)
  end
  vim.wait(1000)
  t.equal(starts(), 1, 'buffers that are opened start it no more')
  setup()
  vim.cmd('Dossier restart')
  explains('Fix login in Authenticator')
  if vim.lsp.enable then
    vim.lsp.enable('dossier', false)
  end
end)

t.test('the server is killed: what asked is told, the next command starts it again', function()
  local app = t.fixture('auth_app')
  setup()
  vim.cmd.edit(app .. '/src/main.rs')
  explains('Fix login in Authenticator')
  t.keys('q')
  vim.cmd('Dossier status')
  t.eventually('the status is shown', in_float)
  local process = tonumber(t.lines()[1]:match('process (%d+)'))
  t.keys('q')
  vim.uv.kill(process, 'sigkill')
  t.eventually('the user is told', function()
    return t.was_told('the server ended')
  end)
  local offered
  vim.ui.input = function(options, go)
    offered = options.default
    go(offered)
  end
  explains('')
  t.equal(offered, 'Fix login in Authenticator', 'the task is not lost')
end)

t.test('a folder without Rust', function()
  local folder = t.folder()
  t.write(folder .. '/README.md', '# Nothing\n')
  vim.cmd('tcd ' .. folder)
  vim.cmd.edit(folder .. '/README.md')
  vim.cmd('Dossier explain Fix login')
  t.eventually('the user is told', function()
    return in_float() and t.text():find('no Cargo.toml', 1, true)
  end)
  t.keys('q')
end)

t.test('a task about nothing that is there', function()
  local app = t.fixture('auth_app')
  vim.cmd.edit(app .. '/src/main.rs')
  vim.cmd('Dossier copy Zwölf Boxkämpfer jagen Viktor quer über den Sylter Deich')
  t.eventually('the user is told', function()
    return t.was_told('nothing relevant found')
  end)
end)

t.test('a folder that is opened over a link', function()
  local app = t.fixture('auth_app')
  local link = t.folder() .. '/link'
  assert(vim.uv.fs_symlink(app, link))
  vim.cmd.edit(link .. '/src/auth/mod.rs')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'pub fn quadruple_login() {}' })
  vim.cmd('Dossier context quadruple_login')
  t.eventually('what is not saved counts', function()
    return vim.api.nvim_buf_get_name(0):find('dossier://context') and t.text():find('pub fn quadruple_login', 1, true)
  end)
  t.keys('q')
  explains('Fix login in Authenticator')
  vim.fn.search([[^\d\+\. src/auth/mod.rs]], 'cw')
  t.keys('<CR>')
  t.equal(vim.api.nvim_get_current_buf(), buffer, 'the jump stays in the buffer that is open')
  vim.cmd('bwipeout!')
end)

t.test('CRLF and a byte order mark', function()
  local app = t.fixture('auth_app')
  local path = app .. '/src/auth/mod.rs'
  t.write(path, '\239\187\191' .. t.read(path):gsub('\n', '\r\n'))
  vim.cmd.edit(path)
  t.equal(vim.bo.fileformat, 'dos')
  t.ok(vim.bo.bomb)
  vim.cmd('38,45Dossier explain')
  t.eventually('the selection is understood', function()
    return in_float() and t.lines()[1]:find('login')
  end)
  vim.fn.search([[^\d\+\. src/auth/mod.rs]], 'cw')
  vim.fn.search([[^  lines ]])
  local wanted = tonumber(vim.fn.getline('.'):match('lines (%d+)'))
  t.keys('<CR>')
  t.equal(vim.fn.line('.'), wanted)
  vim.cmd('Dossier context Fix login in Authenticator')
  t.eventually('the dossier has the text', function()
    return vim.api.nvim_buf_get_name(0):find('dossier://context') and t.text():find('pub fn login', 1, true)
  end)
  t.keys('q')
  t.ok(not vim.bo.modified, 'the file is as it was')
end)

for name, words in pairs({ ['dies:7b'] = 'the connection breaks', ['fails:7b'] = 'the model reports an error' }) do
  t.test(words .. ' in the middle of an answer', function()
    local app = t.fixture('auth_app')
    local ollama = t.ollama()
    setup({ model = { provider = 'ollama', name = name, ollamaHost = ollama.host } })
    vim.cmd.edit(app .. '/src/auth/mod.rs')
    vim.cmd('Dossier ask Fix login in Authenticator')
    local answer = vim.api.nvim_get_current_buf()
    t.eventually('the user is told', function()
      return #t.told > 0
    end)
    t.equal(t.told[1].level, ERROR)
    t.contains(t.text(answer), 'stops at')
    t.contains(vim.wo.winbar, 'broken off')
    t.keys('q')
    explains('Fix login in Authenticator')
    t.keys('q')
    ollama.stop()
  end)
end

t.test('no model is there', function()
  local app = t.fixture('auth_app')
  setup({ model = { provider = 'ollama', name = 'qwen2.5-coder:7b', ollamaHost = '127.0.0.1:9' } })
  vim.cmd.edit(app .. '/src/auth/mod.rs')
  vim.cmd('Dossier ask Fix login in Authenticator')
  t.eventually('the user is told', function()
    return t.was_told('127.0.0.1:9')
  end)
  t.contains(vim.wo.winbar, 'broken off')
end)

t.test('a model that is not on this machine is asked only where that is allowed', function()
  local app = t.fixture('auth_app')
  -- Nobody has this address (RFC 5737).
  setup({ model = { provider = 'ollama', name = 'qwen2.5-coder:7b', ollamaHost = '192.0.2.1:11434' } })
  vim.cmd.edit(app .. '/src/auth/mod.rs')
  vim.cmd('Dossier ask Fix login in Authenticator')
  t.eventually('the user is told', function()
    return t.was_told('allowRemote')
  end, 10000)
  setup()
end)

t.test('an unknown subcommand', function()
  vim.cmd('Dossier explian')
  t.contains(t.told[1].text, 'there is no :Dossier explian')
end)

t.finish()
