-- For `vim.lsp.enable('dossier')` and `vim.lsp.config('dossier', …)`, Neovim 0.11 and later.
return require('dossier.client').config()
