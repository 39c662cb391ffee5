-- What a user does in Neovim: opens a document, reads its diagnostics, completes, hovers, renames, applies an action.
local lines = {}
local function note(text) table.insert(lines, text) end
local id = vim.lsp.start_client({ name = "ninefold", cmd = vim.json.decode(vim.env.NINEFOLD_TEST_COMMAND) })
vim.cmd("edit " .. vim.env.NINEFOLD_TEST_FILE)
vim.lsp.buf_attach_client(0, id)
local function diagnostics() return vim.diagnostic.get(0) end
local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  return answers and answers[id] and answers[id].result
end
vim.wait(60000, function() return #diagnostics() > 1 end, 20)
for _, found in ipairs(diagnostics()) do
  if found.severity == vim.diagnostic.severity.ERROR then note("error " .. found.lnum + 1 .. " " .. found.code) end
end
vim.fn.search("create Parcle")
vim.fn.search("Parcle")
local action = request("textDocument/codeAction", {
  textDocument = vim.lsp.util.make_text_document_params(0),
  range = vim.lsp.util.make_range_params(0, "utf-16").range,
  context = { diagnostics = {} },
})[1]
note("action " .. action.title)
vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
vim.wait(60000, function()
  for _, found in ipairs(diagnostics()) do
    if found.severity == vim.diagnostic.severity.ERROR then return false end
  end
  return true
end, 20)
note("errors left " .. #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }))
vim.fn.search("490 + this.weight_grams")
vim.cmd("normal! f.l")
local hover = request("textDocument/hover", vim.lsp.util.make_position_params(0, "utf-16"))
note("hover " .. hover.contents.value:match("%*%*(.-)%*%*"))
local completion = request("textDocument/completion", vim.lsp.util.make_position_params(0, "utf-16"))
local labels = {}
for _, item in ipairs(completion.items) do labels[item.label] = true end
note("completion " .. tostring(labels.weight_grams or false))
local rename = vim.lsp.util.make_position_params(0, "utf-16")
rename.newName = "grams"
vim.lsp.util.apply_workspace_edit(request("textDocument/rename", rename), "utf-16")
note("renamed " .. vim.fn.search("490 + this.grams", "nw"))
note("left " .. vim.fn.search("weight_grams", "nw"))
vim.fn.writefile(lines, vim.env.NINEFOLD_TEST_RESULT)
vim.cmd("qall!")
