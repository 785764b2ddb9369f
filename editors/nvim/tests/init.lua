-- The configuration that the tests run with: the plugin, and rust-analyzer as Neovim itself starts it.

local tests = vim.fs.dirname(vim.uv.fs_realpath(vim.fs.normalize(vim.fn.expand('<sfile>'))))
package.path = tests .. '/?.lua;' .. package.path

vim.opt.runtimepath:prepend(vim.fs.dirname(tests))
vim.o.swapfile = false
vim.o.hidden = true

local server = {
  name = 'rust-analyzer',
  cmd = { vim.env.RUST_ANALYZER },
  filetypes = { 'rust' },
  root_markers = { 'Cargo.toml' },
  settings = { ['rust-analyzer'] = { checkOnSave = false, cargo = { buildScripts = { enable = false } } } },
}

if vim.lsp.config then
  vim.lsp.config('rust-analyzer', server)
  vim.lsp.enable('rust-analyzer')
else
  vim.api.nvim_create_autocmd('FileType', {
    pattern = server.filetypes,
    callback = function(event)
      server.root_dir = vim.fs.root(event.buf, server.root_markers)
      if server.root_dir then
        vim.lsp.start(server, { bufnr = event.buf })
      end
    end,
  })
end
