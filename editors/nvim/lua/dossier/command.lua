--- `:Dossier`: its subcommands, their completion, and the commands that the server's code actions name.

local client = require('dossier.client')
local request = require('dossier.request')
local subject = require('dossier.subject')
local tell = require('dossier.tell')
local workspace = require('dossier.workspace')

local M = {}

--- What is done with a task, by name: `fun(root, ask, modifiers)`.
local ACTIONS = {
  explain = function(root, ask)
    require('dossier.view').ask(root, ask, function(view)
      require('dossier.explain').show(root, view)
    end)
  end,
  quickfix = function(root, ask)
    require('dossier.view').ask(root, ask, function(view)
      local places = require('dossier.places')
      places.quickfix('Dossier: ' .. view.task, places.of_view(view))
      tell.notes(view.notes)
    end)
  end,
  context = function(...)
    require('dossier.text').context(...)
  end,
  copy = function(...)
    require('dossier.text').copy(...)
  end,
  preview = function(...)
    require('dossier.text').preview(...)
  end,
  ask = function(...)
    require('dossier.answer').open(...)
  end,
}

--- Does something with a task, which the user is asked for where there is none.
---@param name string
---@param root string
---@param ask table
---@param modifiers? table
function M.act(name, root, ask, modifiers)
  subject.with_task(ask, root, function(complete)
    ACTIONS[name](root, complete, modifiers)
  end)
end

local function edit(change)
  require('dossier.view').edit(workspace.root(), change)
end

--- The path of the current file, as the server names it.
local function current_path(root)
  local name = vim.uv.fs_realpath(vim.api.nvim_buf_get_name(0))
  local real = vim.uv.fs_realpath(root)
  if name and real and vim.startswith(name, real .. '/') then
    return name:sub(#real + 2)
  end
end

--- A subcommand that takes a name, and with a bang takes it back.
local function named(add, remove)
  return function(typed)
    local name = typed.words ~= '' and typed.words or current_path(workspace.root())
    if not name then
      return tell.warn(('which? :Dossier %s {path or item}'):format(add))
    end
    edit({ [typed.bang and remove or add] = { name } })
  end
end

local function budget(typed)
  local tokens = tonumber(typed.words)
  if not tokens and not typed.bang then
    return tell.warn(':Dossier budget {tokens}; :Dossier! budget takes it back')
  end
  edit({ budget = typed.bang and vim.NIL or tokens })
end

--- What is no action on a task, by name.
local OTHERS = {
  pin = named('pin', 'unpin'),
  exclude = named('exclude', 'include'),
  budget = budget,
  reset = function()
    edit({ reset = true })
  end,
  status = function()
    require('dossier.status').show(workspace.root())
  end,
  restart = function()
    client.restart(workspace.root())
  end,
}

local function names()
  local found = vim.tbl_keys(ACTIONS)
  vim.list_extend(found, vim.tbl_keys(OTHERS))
  table.sort(found)
  return found
end

--- Runs `:Dossier`.
---@param typed table as given to a command of the user's
function M.run(typed)
  local name, words = vim.trim(typed.args):match('^(%S*)%s*(.*)$')
  -- `:Dossier pin!` as well as `:Dossier! pin`.
  if name:sub(-1) == '!' then
    name, typed.bang = name:sub(1, -2), true
  end
  name = name == '' and 'explain' or name
  typed.words = words
  if ACTIONS[name] then
    local ask, root = subject.of(typed)
    M.act(name, root, ask, typed.smods)
  elseif OTHERS[name] then
    OTHERS[name](typed)
  else
    tell.error(('there is no :Dossier %s, but %s'):format(name, table.concat(names(), ', ')))
  end
end

local function starting_with(word, list)
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, word)
  end, list)
end

local function taken_back(root, list)
  local view = require('dossier.view').present(root)
  return view and view[list] or {}
end

--- Completes `:Dossier`.
---@param word string
---@param line string up to the cursor, as far as it matters
---@return string[]
function M.complete(word, line)
  local bang, name, rest = line:match('Dossier(!?)%s+(%S+)%s(.*)$')
  if not name then
    return starting_with(word, names())
  end
  local root = workspace.root()
  local is_back = bang == '!' or name:sub(-1) == '!'
  name = name:gsub('!$', '')
  if name ~= 'pin' and name ~= 'exclude' or rest:find('%S%s') then
    return {}
  elseif is_back then
    return starting_with(word, taken_back(root, name == 'pin' and 'pinned' or 'excluded'))
  end
  return starting_with(word, require('dossier.view').paths(root))
end

local function root_of(context)
  local asking = vim.lsp.get_client_by_id(context.client_id)
  return asking and asking.root_dir or workspace.root()
end

local function action(name)
  return function(command, context)
    M.act(name, root_of(context), (command.arguments or {})[1] or {})
  end
end

local function named_by_server(add, remove)
  return function(command, context)
    local argument = command.arguments[1]
    local change = { [argument.undo and remove or add] = { argument.name } }
    require('dossier.view').edit(root_of(context), change)
  end
end

local function tests(command, context)
  local params = { command = command.command, arguments = command.arguments }
  request.send(root_of(context), 'workspace/executeCommand', params, {
    result = function(found)
      local places = require('dossier.places')
      places.quickfix('Dossier: tests of ' .. (found.symbol or ''), places.of_graph(found.places or {}))
    end,
  })
end

--- The commands that the server's code actions and lenses name, done here.
---@return table<string, fun(command: table, context: table)>
function M.of_the_server()
  return {
    ['dossier.explain'] = action('explain'),
    ['dossier.context'] = action('copy'),
    ['dossier.prompt'] = action('ask'),
    ['dossier.pin'] = named_by_server('pin', 'unpin'),
    ['dossier.exclude'] = named_by_server('exclude', 'include'),
    ['dossier.tests'] = tests,
    ['dossier.status'] = function(_, context)
      require('dossier.status').show(root_of(context))
    end,
  }
end

return M
