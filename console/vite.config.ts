/**
 * Build of the console: one page, one script and one style sheet. So one round trip shows something, and no page
 * waits for its own code. `npm run console` serves it with hot reload in front of an operations address.
 */
import { defineConfig } from "vite";

/** Where `npm run console` finds what it shows; another one is named by NINEFOLD_OPERATIONS. */
const operations = process.env["NINEFOLD_OPERATIONS"] ?? "http://127.0.0.1:4546";

export default defineConfig({
  root: import.meta.dirname,
  logLevel: "warn",
  build: {
    target: "es2022",
    // Inlined pictures and the scripts that preload others are nothing that the policy should have to allow.
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
