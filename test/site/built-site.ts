/** The documentation site, built once for a test file and served on this machine. */
import { execFile } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { pathOf } from "../repository/repository.ts";

export interface BuiltSite {
  /** The paths of all files, from the site's folder. */
  readonly files: readonly string[];
  textOf(path: string): string;
  /** `docs/card.html` → `http://127.0.0.1:…/docs/card.html`. */
  address(page: string): string;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".png": "image/png",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
};

/** Builds the site as `npm run site` does, and serves its folder as any static host does. */
export async function buildSite(): Promise<BuiltSite> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-site-"));
  await promisify(execFile)(process.execPath, [pathOf("site/build.ts"), "--out", folder], {
    maxBuffer: 1 << 24,
  });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = join(folder, normalize(decodeURIComponent(pathname)));
    const file = pathname.endsWith("/") ? join(path, "index.html") : path;
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = types[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    files: globSync("**/*", { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)),
    textOf: (path) => readFileSync(join(folder, path), "utf8"),
    address: (page) => `http://127.0.0.1:${port}/${page}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
