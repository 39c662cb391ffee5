/** Tests of `documents`, run together in one process (`together.ts`). */
import { together } from "./together.ts";

together("documents");
