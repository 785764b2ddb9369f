--- What went wrong, in words that say what to do.

local neovim = require('dossier.neovim')
local tell = require('dossier.tell')

local M = {}

--- How long the program may take to tell its version, in milliseconds.
local TRYING_MS = 5000

--- What the contract calls an unknown method: the server is older than this plugin.
local METHOD_NOT_FOUND = -32601

---@param program string
---@return string
function M.missing(program)
  return ('the program `%s` is not found: install Dossier (`cargo install --path .` in its repository), or name the '
    .. "program with require('dossier').setup { cmd = { '…/dossier', 'lsp' } }; then :Dossier again"):format(program)
end

---@param code integer
---@param signal integer
---@return string
function M.cause(code, signal)
  return signal ~= 0 and ('signal %d'):format(signal) or ('exit code %d'):format(code)
end

local function last_line(text)
  local lines = vim.split(vim.trim(text or ''), '\n', { trimempty = true })
  return lines[#lines] or ''
end

--- Runs the program once, bounded in time.
---@param argv string[]
---@param done fun(is_well: boolean, words: string) with its output, or the last of its complaint
local function try(argv, done)
  local is_running, why = pcall(vim.system, argv, { text = true, timeout = TRYING_MS, stdin = '' }, function(result)
    local is_well = result.code == 0 and result.signal == 0
    local words = is_well and vim.trim(result.stdout or '') or last_line(result.stderr)
    vim.schedule(function()
      done(is_well, words ~= '' and words or M.cause(result.code, result.signal))
    end)
  end)
  if not is_running then
    done(false, tostring(why))
  end
end

--- Finds out about a program: whether it runs, and whether it knows `lsp`.
---@param cmd string[]
---@param done fun(what: 'broken'|'old'|'well', words: string) `words`: its complaint, or its version
function M.diagnose(cmd, done)
  try({ cmd[1], '--version' }, function(runs, words)
    if not runs then
      return done('broken', words)
    end
    try({ cmd[1], 'lsp', '--help' }, function(knows)
      done(knows and 'well' or 'old', words)
    end)
  end)
end

--- Tells why a server ended before it was ready.
---@param cmd string[]
---@param code integer
---@param signal integer
function M.explain(cmd, code, signal)
  M.diagnose(cmd, function(what, words)
    local line = table.concat(cmd, ' ')
    if what == 'broken' then
      tell.error(('`%s` does not run: %s. Install it anew; then :Dossier restart'):format(cmd[1], words))
    elseif what == 'old' then
      tell.error(('%s (`%s`) has no `lsp`: it is too old for this plugin. Install a newer one; then :Dossier restart')
        :format(words, vim.fn.exepath(cmd[1])))
    else
      tell.error(('`%s` (%s) ended while it started (%s). See its last words in %s; :Dossier restart tries again')
        :format(line, words, M.cause(code, signal), neovim.log_file()))
    end
  end)
end

---@param err table an error of the protocol
---@return string
function M.of_request(err)
  local message = err.message or vim.inspect(err)
  if err.code == METHOD_NOT_FOUND then
    return message .. ': this Dossier is too old for the plugin; install a newer one, then :Dossier restart'
  elseif type(err.data) == 'table' and err.data.kind == 'remote_not_allowed' then
    return message .. " (here: require('dossier').setup { model = { allowRemote = true } })"
  end
  return message
end

return M
