--- Which folder a buffer belongs to.

local M = {}

--- The files whose unsaved text the server should know.
M.FILETYPES = { 'rust', 'toml' }

---@param manifest string
---@return boolean whether it makes its folder the root of a workspace
local function is_workspace(manifest)
  local file = io.open(manifest)
  if not file then
    return false
  end
  local text = file:read('*a')
  file:close()
  return ('\n' .. text):find('\n%s*%[workspace[%].]') ~= nil
end

--- The root of the Cargo workspace around a folder.
---@param folder string
---@return string? none where there is no Cargo.toml
function M.cargo_root(folder)
  local manifests = vim.fs.find('Cargo.toml', { path = folder, upward = true, type = 'file', limit = math.huge })
  for _, manifest in ipairs(manifests) do
    if is_workspace(manifest) then
      return vim.fs.dirname(manifest)
    end
  end
  return manifests[1] and vim.fs.dirname(manifests[1])
end

---@param buffer integer
---@return string? the folder of the file that it shows
local function folder_of(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype == '' and name ~= '' then
    return vim.fs.dirname(vim.fs.normalize(name))
  end
end

--- The folder to ask about from a buffer: that of the view it shows, of its file, or where Neovim stands.
---@param buffer? integer
---@return string
function M.root(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local here = vim.fs.normalize(vim.fn.getcwd())
  local folder = folder_of(buffer)
  return vim.b[buffer].dossier_root or (folder and M.cargo_root(folder)) or M.cargo_root(here) or here
end

--- Whether a buffer is a file of that workspace whose text the server should know.
---@param buffer integer
---@param root string
---@return boolean
function M.belongs(buffer, root)
  local folder = folder_of(buffer)
  return folder ~= nil
    and vim.api.nvim_buf_is_loaded(buffer)
    and vim.list_contains(M.FILETYPES, vim.bo[buffer].filetype)
    and M.cargo_root(folder) == root
end

--- Whether one folder is the other, or in it, by whatever links they are reached.
---@param inner string
---@param outer string
---@return boolean
function M.is_within(inner, outer)
  inner, outer = vim.uv.fs_realpath(inner) or inner, vim.uv.fs_realpath(outer) or outer
  return inner == outer or vim.startswith(inner, outer:gsub('/$', '') .. '/')
end

return M
