--- The folder's present pack: asked for, changed by hand, and kept to be shown.

local client = require('dossier.client')
local request = require('dossier.request')
local tell = require('dossier.tell')

local M = {}

--- By root: the last view of what a model would be given, and the server that made it and knows its task.
local views = {}

--- By root: what was asked last, which nobody waits for when there is a new question.
local asked = {}

--- The folder's present view.
---@param root string
---@return table? view none where there was none, or the server that knew its task ended
function M.present(root)
  local known = views[root]
  return known and known.server == client.get(root) and known.view or nil
end

--- The task of the last view, whatever became of the server.
---@param root string
---@return string?
function M.last_task(root)
  return views[root] and views[root].view.task
end

local function keep(root, view)
  views[root] = { view = view, server = client.get(root) }
end

local function take(root, show)
  return function(view)
    keep(root, view)
    show(view)
  end
end

--- Asks for a view; `show` gets it twice where the language server made it wait.
---@param root string
---@param ask table
---@param show fun(view: table)
function M.ask(root, ask, show)
  if asked[root] then
    asked[root].cancel()
  end
  asked[root] = request.send(root, 'dossier/explain', ask, {
    result = take(root, show),
    progress = function(value)
      if value.view then
        take(root, show)(value.view)
      end
    end,
  })
end

local function tell_change(view)
  for _, refused in ipairs(view.refused or {}) do
    tell.warn(('%s cannot be pinned: %s'):format(refused.name, refused.why))
  end
  tell.info(('%d files, %d of %d tokens'):format(#view.files, view.budget.used, view.budget.limit))
end

--- Changes the present pack by hand.
---@param root string
---@param change table as `dossier/edit` takes it
---@param show? fun(view: table) otherwise the user is told in a line
function M.edit(root, change, show)
  change.folder = vim.uri_from_fname(root)
  request.send(root, 'dossier/edit', change, {
    result = function(view)
      if not view.files then
        return tell.info('this counts from the next task on')
      end
      keep(root, view)
      require('dossier.explain').refresh(root, view);
      (show or tell_change)(view)
    end,
  })
end

--- The paths that the present view names: what `pin` and `exclude` can be completed to.
---@param root string
---@return string[]
function M.paths(root)
  local found = {}
  local view = M.present(root) or {}
  for _, list in ipairs({ view.files or {}, view.dropped or {} }) do
    for _, entry in ipairs(list) do
      table.insert(found, entry.path)
    end
  end
  return found
end

return M
