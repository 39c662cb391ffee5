/** Tests of `sending`, run together in one process (`together.ts`). */
import { together } from "./together.ts";

together("sending");
