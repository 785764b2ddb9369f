-- Defines the command and the <Plug> mappings; nothing else is loaded until one of them is used.

if vim.g.loaded_dossier then
  return
end
vim.g.loaded_dossier = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('dossier: needs Neovim 0.10 or later', vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_user_command('Dossier', function(typed)
  require('dossier.command').run(typed)
end, {
  nargs = '*',
  bang = true,
  range = true,
  desc = 'Put the code that a task needs in front of a language model',
  complete = function(word, line)
    return require('dossier.command').complete(word, line)
  end,
})

for _, name in ipairs({
  'explain', 'preview', 'ask', 'context', 'copy', 'quickfix', 'pin', 'exclude', 'status',
}) do
  local plug = ('<Plug>(dossier-%s)'):format(name)
  vim.keymap.set('n', plug, ('<Cmd>Dossier %s<CR>'):format(name), { desc = 'Dossier: ' .. name })
  -- With a colon: the selection becomes the command's range.
  vim.keymap.set('x', plug, (':Dossier %s<CR>'):format(name), { silent = true, desc = 'Dossier: ' .. name })
end
