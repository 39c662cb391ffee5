/** Tests of `outputs`, run together in one process (`together.ts`). */
import { together } from "./together.ts";

together("outputs");
