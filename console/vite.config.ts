/**
 * How the console is built: one page, one script and one sheet of styles, so that one round trip shows something and no page waits for
 * its own code. For whoever works on it, `npm run console` serves it anew with each change, in front of an operations address.
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
    // The address lets in what asks for it by its own name.
    proxy: Object.fromEntries(
      ["/api", "/docs", "/openapi.json"].map((path) => [
        path,
        { target: operations, changeOrigin: true, headers: { origin: operations } },
      ]),
    ),
  },
});
