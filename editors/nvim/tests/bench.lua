--- Measures a warm explanation from within a Neovim with a terminal: from the key that is pressed to what Neovim has drawn.

local M = {}

local TIMES, WARM_UP = 20, 3

--- Between two, so that none finds the work of the one before, in milliseconds.
local PAUSE_MS = 150

--- Calls `done` whenever the window of an explanation was drawn.
local function on_drawn(done)
  local is_drawn = false
  vim.api.nvim_set_decoration_provider(vim.api.nvim_create_namespace('dossier.bench'), {
    on_start = function()
      is_drawn = false
    end,
    on_win = function(_, _, buffer)
      is_drawn = is_drawn or vim.bo[buffer].filetype == 'dossier'
    end,
    on_end = function()
      if is_drawn then
        done(vim.uv.hrtime())
      end
    end,
  })
end

--- Writes the times in milliseconds to a file, as JSON.
---@param out string
---@param task string
function M.run(out, task)
  local times, started = {}, nil
  vim.keymap.set('n', '<F5>', '<Plug>(dossier-explain)')

  local function press()
    started = vim.uv.hrtime()
    vim.api.nvim_input('<F5>')
  end

  local function again()
    vim.cmd('silent! fclose')
    if #times == TIMES + WARM_UP then
      vim.fn.writefile({ vim.json.encode(vim.list_slice(times, WARM_UP + 1)) }, out)
    else
      vim.defer_fn(press, PAUSE_MS)
    end
  end

  on_drawn(function(now)
    if started then
      table.insert(times, (now - started) / 1e6)
      started = nil
      vim.schedule(again)
    end
  end)
  started = vim.uv.hrtime()
  vim.cmd('Dossier explain ' .. task)
end

return M
