/**
 * Build of the console: one page, one script and one style sheet, so that one round trip shows
 * something, and no page waits for its own code. `npm run console` serves it with hot reload in
 * front of an operations address.
 */
import { defineConfig } from "vite";

/** The operations address of `npm run console`; NINEFOLD_OPERATIONS names another one. */
const operations = process.env["NINEFOLD_OPERATIONS"] ?? "http://127.0.0.1:4546";

export default defineConfig({
  root: import.meta.dirname,
  logLevel: "warn",
  build: {
    target: "es2022",
    // The content security policy should not have to allow inlined pictures or preloading scripts.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
  server: {
    host: "127.0.0.1",
    // The operations address accepts requests from its own origin only.
    proxy: Object.fromEntries(
      ["/api", "/docs", "/openapi.json"].map((path) => [
        path,
        { target: operations, changeOrigin: true, headers: { origin: operations } },
      ]),
    ),
  },
});
