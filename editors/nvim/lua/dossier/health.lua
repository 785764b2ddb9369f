--- `:checkhealth dossier`.

local client = require('dossier.client')
local config = require('dossier.config')
local failure = require('dossier.failure')
local request = require('dossier.request')

local M = {}

--- How long a running server is waited for, in milliseconds.
local ANSWER_MS = 3000

--- How long the program may take to tell its version twice, in milliseconds.
local PROGRAM_MS = 11000

local health = vim.health

local function check_neovim()
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim is older than 0.10', { 'Install 0.10 or later' })
  end
end

local function check_settings()
  local unknown = config.unknown()
  if #unknown == 0 then
    return health.ok('settings are understood')
  end
  health.warn('there are no settings ' .. table.concat(unknown, ', '), { 'See :help dossier-settings' })
end

local function check_program()
  local cmd = client.cmd()
  if vim.fn.executable(cmd[1]) == 0 then
    return health.error(failure.missing(cmd[1]))
  end
  local what, words
  failure.diagnose(cmd, function(...)
    what, words = ...
  end)
  vim.wait(PROGRAM_MS, function()
    return what ~= nil
  end, 20)
  local path = vim.fn.exepath(cmd[1])
  if what == 'well' then
    health.ok(('%s: %s'):format(path, words))
  elseif what == 'old' then
    health.error(('%s: %s: it has no `lsp`'):format(path, words), { 'Install a newer one; then :Dossier restart' })
  else
    health.error(('%s does not run: %s'):format(path, words or 'no answer'), { 'Install it anew' })
  end
end

local function check_server(root)
  local status
  request.send(root, 'dossier/status', {}, {
    result = function(result)
      status = result
    end,
  })
  vim.wait(ANSWER_MS, function()
    return status ~= nil
  end, 20)
  if not status then
    return health.error(('the server of %s does not answer'):format(root), { ':Dossier restart' })
  end
  health.ok('the server of ' .. root .. ' answers')
  for _, line in ipairs(require('dossier.status').lines(status)) do
    if line ~= '' then
      health.info(vim.trim(line))
    end
  end
end

local function check_servers()
  if not next(client.all()) then
    return health.info('no server runs: it starts with the first :Dossier')
  end
  for root in vim.spairs(client.all()) do
    check_server(root)
    local lender = require('dossier.lend').lender(root)
    if lender then
      health.ok(('it uses the %s of Neovim (client %d)'):format(lender.name, lender.id))
    else
      health.info('Neovim runs no rust-analyzer for it: the daemon or the server starts one where it is wanted')
    end
  end
end

function M.check()
  health.start('dossier: program')
  check_neovim()
  check_settings()
  check_program()
  health.start('dossier: server')
  check_servers()
  health.start('dossier: editor')
  if vim.fn.has('clipboard') == 1 then
    health.ok(':Dossier copy can reach the clipboard')
  else
    health.warn(':Dossier copy reaches the unnamed register alone', { 'See :help clipboard' })
  end
end

return M
