/** Tests of `docs-site`, run together in one process (`together.ts`). */
import { together } from "./together.ts";

together("docs-site");
