-- What the plugin does, over the real server, a real rust-analyzer and a stand-in for Ollama.

local t = require('harness')

local FAST, SLOW = 'qwen2.5-coder:7b', 'slow:7b'

local app = t.fixture('auth_app')
local ollama = t.ollama()

local function setup(settings)
  require('dossier').setup(vim.tbl_deep_extend('force', {
    cmd = t.cmd(),
    model = { provider = 'ollama', name = FAST, ollamaHost = ollama.host },
  }, settings or {}))
end

--- Opens a file as it is on disk.
local function reopen(path)
  vim.cmd.edit({ args = { app .. '/' .. path }, bang = true })
end

--- Has the server use a model; it asks for its settings in its own time.
local function use(name)
  setup({ model = { name = name } })
  t.eventually('the model is used', function()
    local model
    local root = require('dossier.workspace').root()
    require('dossier.request').send(root, 'dossier/status', {}, {
      result = function(status)
        model = status.model.name
      end,
    })
    vim.wait(1000, function()
      return model
    end, 10)
    return model and model:find(name, 1, true)
  end)
end

local function open(path)
  vim.cmd.edit(app .. '/' .. path)
end

local function in_float()
  return vim.api.nvim_win_get_config(0).relative ~= ''
end

local function explain(words)
  if vim.bo.filetype == 'dossier' then
    t.keys('q')
  end
  vim.cmd('Dossier explain ' .. words)
  t.eventually('the explanation is shown', function()
    return in_float() and vim.bo.filetype == 'dossier'
  end)
end

--- Puts the cursor on the first line that matches; gives its number.
local function go_to(pattern)
  t.ok(vim.fn.search(pattern, 'cw') > 0, 'no line has ' .. pattern, t.lines())
  return vim.fn.line('.')
end

local function chats()
  return vim.tbl_filter(function(entry)
    return entry.path == '/api/chat' and not entry.body.format
  end, ollama.log())
end

local function winbar_has(words)
  return function()
    return vim.wo.winbar:find(words, 1, true)
  end
end

t.test('nothing is loaded before it is used', function()
  t.equal(vim.fn.exists(':Dossier'), 2)
  for name in pairs(package.loaded) do
    t.ok(not name:find('^dossier'), name .. ' is loaded')
  end
  t.contains(vim.fn.maparg('<Plug>(dossier-explain)', 'n'), 'Dossier explain')
  t.equal(vim.fn.getcompletion('Dossier e', 'cmdline'), { 'exclude', 'explain' })
end)

t.test('explain: what a model would be given and why, and a jump', function()
  setup()
  open('src/main.rs')
  explain('Fix login in Authenticator')
  t.contains(t.text(), 'Fix login in Authenticator')
  t.contains(t.text(), ' of 8192 tokens')
  local line = go_to([[^\d\+\. src/auth/mod.rs]])
  vim.cmd.redraw()
  t.equal(vim.fn.foldlevel(line + 1), 1, 'what is said of a file is in its fold')
  t.keys('zc')
  t.equal(vim.fn.foldclosed(line + 1), line)
  t.keys('zo')
  local left_out = go_to([[^Left out]])
  t.equal(vim.fn.foldclosed(left_out), left_out, 'what was left out starts closed')
  go_to([[^\d\+\. src/auth/mod.rs]])
  local first = go_to([[^  lines \d]])
  local wanted = tonumber(vim.fn.getline(first):match('lines (%d+)'))
  t.keys('<CR>')
  t.ok(not in_float(), 'the window is closed')
  t.equal(vim.api.nvim_buf_get_name(0), vim.uv.fs_realpath(app) .. '/src/auth/mod.rs')
  t.equal(vim.fn.line('.'), wanted)
  t.keys('<C-o>')
  t.contains(vim.api.nvim_buf_get_name(0), 'src/main.rs')
end)

t.test('the rust-analyzer of Neovim is lent, and taken back', function()
  setup()
  open('src/auth/mod.rs')
  local rust = t.eventually('rust-analyzer runs', function()
    return vim.lsp.get_clients({ name = 'rust-analyzer' })[1]
  end)
  t.eventually('its facts count', function()
    explain('Change how find_by_email looks users up')
    return t.text():find('rust-analyzer ready (lent)', 1, true)
  end, 90000)
  t.eventually('it is named as a source', function()
    explain('Change how find_by_email looks users up')
    return t.text():find('(rust-analyzer)', 1, true)
  end)
  t.keys('q')
  require('dossier.neovim').call(rust, 'stop')
  t.eventually('the server knows that it is gone', function()
    explain('Change how find_by_email looks users up')
    return not t.text():find('(lent)', 1, true)
  end)
  t.keys('q')
  reopen('src/auth/mod.rs')
end)

t.test('an answer that waits for rust-analyzer shows at once what is known', function()
  local other = t.fixture('user_service')
  setup({ languageServer = { waitSeconds = 120 } })
  vim.cmd.edit(other .. '/src/lib.rs')
  explain('Fix find_by_email')
  t.contains(t.text(), 'src/services/user_service.rs')
  t.ok(not t.text():find('rust-analyzer ready', 1, true), 'it is not ready yet', t.lines())
  t.eventually('then with its facts', function()
    return t.text():find('rust-analyzer ready (lent)', 1, true)
  end, 90000)
  t.keys('q')
  setup()
end)

t.test('only what reads is passed on to rust-analyzer', function()
  local _, err = require('dossier.lend').forward(nil, {
    server = 'rust-analyzer',
    method = 'workspace/executeCommand',
    params = {},
  }, { client_id = 1 })
  t.contains(err.message, 'not lent')
end)

t.test('a selection is the subject', function()
  open('src/auth/mod.rs')
  vim.cmd('38,45Dossier explain')
  t.eventually('the explanation of the lines', function()
    return in_float() and t.lines()[1]:find('login')
  end)
  t.keys('q')
  vim.fn.cursor(48, 12)
  t.keys('viw<Plug>(dossier-explain)')
  t.eventually('the explanation of the word', function()
    return in_float() and t.lines()[1]:find('accept_invitation')
  end)
  t.keys('q')
end)

t.test('with a bang the text of the lines is the task', function()
  vim.cmd.enew()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'thread panicked at src/billing/tax.rs:20:5:', 'index out of bounds' })
  vim.cmd('lcd ' .. app)
  vim.cmd('%Dossier! explain')
  t.eventually('the explanation of the panic', function()
    return in_float() and t.text():find('^thread panicked') and t.text():find('src/billing/tax.rs', 1, true)
  end)
  t.keys('q')
end)

t.test('what is typed and not saved counts', function()
  open('src/geometry.rs')
  vim.api.nvim_buf_set_lines(0, -1, -1, false, {
    '',
    'pub fn quadruple_volume(c: &Cuboid) -> f64 {',
    '    4.0 * c.volume()',
    '}',
  })
  vim.cmd('Dossier context quadruple_volume')
  t.eventually('the dossier has the unsaved function', function()
    return vim.api.nvim_buf_get_name(0):find('dossier://context') and t.text():find('4.0 * c.volume()', 1, true)
  end)
  t.equal(vim.bo.filetype, 'markdown')
  t.keys('q')
  reopen('src/geometry.rs')
end)

t.test('pin, exclude, budget, and all of it taken back', function()
  open('src/auth/mod.rs')
  explain('Fix login in Authenticator')
  t.ok(not t.text():find('pinned', 1, true), 'nothing is pinned yet', t.lines())
  go_to([[^\d\+\. .*]])
  local path = vim.api.nvim_get_current_line():match('^%d+%. (%S+)')
  t.keys('p')
  t.eventually('it is pinned', function()
    return t.text():find(path .. ' · [^\n]*pinned')
  end)
  go_to(vim.fn.escape(path, '.'))
  t.keys('p')
  t.eventually('it is not pinned any more', function()
    return not t.text():find('pinned', 1, true)
  end)
  go_to(vim.fn.escape(path, '.'))
  t.keys('x')
  t.eventually('it is excluded', function()
    return t.text():find('Excluded by hand\n  ' .. vim.pesc(path)) and not t.text():find('%d%. ' .. vim.pesc(path))
  end)
  t.keys('q')
  t.equal(vim.fn.getcompletion('Dossier exclude! src', 'cmdline'), { path })
  vim.cmd('Dossier exclude! ' .. path)
  t.eventually('the user is told', function()
    return t.was_told(' of 8192 tokens')
  end)

  vim.cmd('Dossier pin src/shipping/parcel.rs')
  t.eventually('a file by name is pinned', function()
    local view = require('dossier.view').present(require('dossier.workspace').root())
    return vim.list_contains(view.pinned, 'src/shipping/parcel.rs')
  end)
  vim.cmd('Dossier pin no/such/file.rs')
  t.eventually('what cannot be pinned is told', function()
    return t.was_told('no/such/file.rs cannot be pinned')
  end)
  vim.cmd('Dossier budget 1500')
  t.eventually('the budget is smaller', function()
    return t.was_told(' of 1500 tokens')
  end)
  vim.cmd('Dossier reset')
  t.eventually('the budget is as it was', function()
    return t.told[#t.told].text:find(' of 8192 tokens', 1, true)
  end)
  explain('Fix login in Authenticator')
  t.ok(not t.text():find('pinned', 1, true), 'nothing is pinned any more', t.lines())
  t.keys('q')
end)

t.test('what is pinned before there is a task counts for the first one', function()
  local other = t.fixture('user_service')
  vim.cmd.edit(other .. '/src/lib.rs')
  vim.cmd('Dossier pin')
  t.eventually('the user is told', function()
    return t.was_told('this counts from the next task on')
  end)
  explain('Fix find_by_email')
  t.ok(t.text():find('src/lib.rs · [^\n]*pinned'), 'it is in', t.lines())
  t.keys('q')
end)

t.test('the ranked places are in the quickfix list, with reasons', function()
  open('src/main.rs')
  vim.cmd('Dossier quickfix Fix login in Authenticator')
  t.eventually('the list is open', function()
    return vim.bo.buftype == 'quickfix'
  end)
  local list = vim.fn.getqflist({ items = 1, title = 1 })
  t.contains(list.title, 'Fix login in Authenticator')
  local files = vim.tbl_map(function(item)
    return vim.api.nvim_buf_get_name(item.bufnr):sub(#vim.uv.fs_realpath(app) + 2)
  end, list.items)
  t.ok(vim.list_contains(files, 'src/auth/mod.rs'), 'the place is in it', list)
  t.contains(list.items[1].text, '#1 ')
  t.ok(list.items[1].end_lnum >= list.items[1].lnum, 'it has lines')
  vim.cmd.cclose()
  vim.cmd.cfirst()
  t.equal(vim.fn.line('.'), list.items[1].lnum)
end)

t.test('copy', function()
  open('src/main.rs')
  vim.cmd('Dossier copy Fix login in Authenticator')
  t.eventually('it is told where', function()
    return t.was_told('tokens, are in ')
  end)
  t.contains(vim.fn.getreg('"'), '# Fix login in Authenticator')
  t.contains(vim.fn.getreg('"'), 'src/auth/mod.rs')
end)

t.test('the preview shows what will be sent, secrets masked, and sends nothing', function()
  setup({})
  open('src/auth/mod.rs')
  vim.api.nvim_buf_set_lines(0, 38, 38, false, { '        let url = "postgres://app:tr0ub4dor-3@db.internal/shop";' })
  vim.cmd('Dossier preview Fix login in Authenticator')
  t.eventually('the preview is shown', function()
    return t.text():find('S sends what follows', 1, true)
  end)
  t.contains(t.text(), FAST .. ', on this machine')
  t.contains(t.text(), 'secrets masked: 1')
  t.ok(not t.text():find('tr0ub4dor', 1, true), 'the secret is masked')
  local text = t.text()
  t.contains(text, 'let url = "postgres://app:')
  t.equal(#chats(), 0, 'nothing was sent')

  t.keys('S')
  t.eventually('the answer is there', winbar_has('done'))
  local sent = chats()[1].body.messages
  for _, message in ipairs(sent) do
    t.contains(text, message.content)
  end
  t.keys('q')
  setup()
  reopen('src/auth/mod.rs')
end)

t.test('ask: the answer comes piece by piece, and is whole', function()
  open('src/auth/mod.rs')
  use(SLOW)
  vim.cmd('Dossier ask Fix login in Authenticator')
  local answer = vim.api.nvim_get_current_buf()
  t.equal(vim.bo.filetype, 'markdown')
  t.eventually('it begins', function()
    return #t.text(answer) > 0
  end)
  local early = #t.text(answer)
  -- Meanwhile the editor goes on.
  vim.cmd.wincmd('p')
  t.contains(vim.api.nvim_buf_get_name(0), 'src/auth/mod.rs')
  t.eventually('more of it comes', function()
    return #t.text(answer) > early
  end)
  vim.fn.win_gotoid(vim.fn.bufwinid(answer))
  t.keys('q')
  t.contains(vim.wo.winbar, 'cancelled')

  use(FAST)
  vim.cmd('Dossier ask Fix login in Authenticator')
  t.eventually('it is whole', winbar_has('done'))
  t.contains(t.text(), 'can run.')
  local marks = vim.inspect(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true }))
  t.contains(marks, FAST .. ' · sent ')
  t.contains(marks, 'sent: src/auth/mod.rs')
  vim.fn.search('src/auth/session.rs', 'w')
  vim.cmd('normal! gf')
  t.contains(vim.api.nvim_buf_get_name(0), 'src/auth/session.rs')
end)

t.test('q cancels an answer: the model is let go, what came stays', function()
  open('src/auth/mod.rs')
  use(SLOW)
  local before = #ollama.log()
  vim.cmd('Dossier ask Fix login in Authenticator')
  local answer = vim.api.nvim_get_current_buf()
  t.eventually('it begins', function()
    return #t.text(answer) > 0
  end)
  t.keys('q')
  local text = t.text(answer)
  t.eventually('the server has let go', function()
    return vim.iter(vim.list_slice(ollama.log(), before + 1)):any(function(entry)
      return entry.left ~= nil
    end)
  end)
  t.equal(t.text(answer), text, 'nothing comes any more')
  t.keys('q')
  t.ok(vim.api.nvim_get_current_buf() ~= answer, 'the second q closes')
  t.ok(vim.api.nvim_buf_is_loaded(answer), 'and loses nothing')
  use(FAST)
end)

t.test('settings change while the server runs', function()
  open('src/main.rs')
  setup({ context = { budget = 3000 } })
  t.eventually('they count', function()
    explain('Fix login in Authenticator')
    return t.text():find(' of 3000 tokens', 1, true)
  end)
  t.keys('q')
  setup()
  setup({ context = { bugdet = 1 } })
  t.ok(t.was_told('there is no setting `context.bugdet`'), 'a wrong name is told')
  setup()
end)

t.test('the code actions of the server do the same', function()
  open('src/auth/mod.rs')
  vim.fn.cursor(38, 14)
  local titles = t.eventually('there are actions', function()
    local found = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', {
      textDocument = vim.lsp.util.make_text_document_params(),
      range = { start = { line = 37, character = 13 }, ['end'] = { line = 37, character = 13 } },
      context = { diagnostics = vim.empty_dict() and {} },
    }, 2000)
    local own = vim.lsp.get_clients({ name = 'dossier' })[1]
    return own and found and found[own.id] and found[own.id].result and #found[own.id].result > 0
  end)
  t.ok(titles)
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(found)
      return found.title:find('^Explain the context') ~= nil
    end,
  })
  t.eventually('the explanation is shown', function()
    return in_float() and t.text():find('login', 1, true)
  end)
  t.keys('q')
end)

t.test('status, status line', function()
  open('src/main.rs')
  vim.cmd('Dossier status')
  t.eventually('the status is shown', function()
    return in_float() and t.text():find('^Dossier %d')
  end)
  t.contains(t.text(), FAST .. ' (on this machine)')
  t.contains(t.text(), vim.uv.fs_realpath(app))
  t.keys('q')
  t.eventually('a line for the status bar', function()
    return require('dossier').statusline():find('^dossier: %d+ files')
  end)
end)

t.test('checkhealth', function()
  open('src/main.rs')
  vim.cmd('checkhealth dossier')
  local text = t.text()
  t.contains(text, 'Neovim ' .. tostring(vim.version()):match('^[%d.]+'))
  t.contains(text, vim.env.DOSSIER)
  t.contains(text, 'answers')
  t.ok(not text:find('ERROR', 1, true), 'no error', text)
  vim.cmd('bwipeout!')
end)

t.test('help', function()
  vim.cmd.helptags(vim.fn.fnamemodify(vim.api.nvim_get_runtime_file('doc/dossier.txt', false)[1], ':h'))
  for _, tag in ipairs({ 'dossier', ':Dossier', 'dossier-settings', '<Plug>(dossier-explain)' }) do
    vim.cmd.help(tag)
    t.contains(vim.api.nvim_buf_get_name(0), 'doc/dossier.txt')
    vim.cmd.helpclose()
  end
end)

t.test('it starts with the first Rust buffer, where that is wanted', function()
  local other = t.fixture('user_service')
  setup({ autostart = true })
  vim.cmd.edit(other .. '/src/lib.rs')
  t.eventually('a server runs for it', function()
    return vim.iter(vim.lsp.get_clients({ name = 'dossier', bufnr = 0 })):any(function(client)
      return client.root_dir == other
    end)
  end)
  explain('Fix find_by_email')
  t.contains(t.text(), 'src/services/user_service.rs')
  t.keys('q')
end)

if vim.lsp.config then
  t.test('what is set by vim.lsp.config counts', function()
    local other = t.fixture('user_service')
    setup()
    vim.lsp.config('dossier', { settings = { dossier = { context = { budget = 2500 } } } })
    vim.cmd.edit(other .. '/src/lib.rs')
    explain('Fix find_by_email')
    t.contains(t.text(), ' of 2500 tokens')
    t.keys('q')
  end)
end

t.finish()
