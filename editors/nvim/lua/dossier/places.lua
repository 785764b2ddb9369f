--- Where the files of a view are to be looked at.

local M = {}

---@param range table of the protocol
---@return integer first, integer last lines from 1, both of them in it
function M.lines(range)
  local last = range['end'].line + 1
  if range['end'].character == 0 and range['end'].line > range.start.line then
    last = last - 1
  end
  return range.start.line + 1, last
end

---@param range table
---@return string as `10-42`
function M.words(range)
  local first, last = M.lines(range)
  return first == last and tostring(first) or ('%d-%d'):format(first, last)
end

---@param reason table
---@return string
function M.reason(reason)
  local source = reason.source and reason.source ~= 'syntax' and (' (%s)'):format(reason.source) or ''
  return ('%s%s'):format(reason.detail or reason.signal, source)
end

--- One line with all reasons of a file.
---@param file table
---@return string
function M.reasons(file)
  return table.concat(vim.tbl_map(M.reason, file.reasons or {}), '; ')
end

local START = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } }

--- Shows a place in the current window.
---@param root string
---@param uri string
---@param range? table
function M.jump(root, uri, range)
  local encoding = require('dossier.client').encoding(root)
  local is_shown = vim.lsp.util.show_document({ uri = uri, range = range or START }, encoding, { focus = true })
  if is_shown then
    vim.cmd('normal! zvzz')
  end
end

--- Puts places into the quickfix list, and opens it.
---@param title string
---@param items table[] as `setqflist` takes them
function M.quickfix(title, items)
  vim.fn.setqflist({}, ' ', { title = title, items = items })
  if #items == 0 then
    return require('dossier.tell').info('no places')
  end
  vim.cmd('botright copen')
end

--- The entries of the quickfix list for a view: each range of each file, best first.
---@param view table
---@return table[]
function M.of_view(view)
  local items = {}
  for _, file in ipairs(view.files) do
    local ranges = #(file.ranges or {}) > 0 and file.ranges or { START }
    for _, range in ipairs(ranges) do
      local first, last = M.lines(range)
      table.insert(items, {
        filename = vim.uri_to_fname(file.uri),
        lnum = first,
        end_lnum = last,
        text = ('#%d %s: %s'):format(file.rank, file.level, M.reasons(file)),
      })
    end
  end
  return items
end

--- The entries for the places of a `dossier/graph`.
---@param places table[]
---@return table[]
function M.of_graph(places)
  return vim.tbl_map(function(place)
    return {
      filename = vim.uri_to_fname(place.uri),
      lnum = place.range.start.line + 1,
      col = place.range.start.character + 1,
      text = place.name,
    }
  end, places)
end

return M
