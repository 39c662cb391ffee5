/** Tests of `cli`, run together in one process (`together.ts`). */
import { together } from "./together.ts";

together("cli");
