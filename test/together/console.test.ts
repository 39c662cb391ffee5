/** Tests of `console`, run together in one process (`together.ts`). */
// First, and outside of any file's suite: the shared browser is closed after all suites.
import "../console/open-console.ts";
import { together } from "./together.ts";

together("console");
