/** Tests of `rest-of-sources`, run together in one process (`together.ts`). */
import { together } from "./together.ts";

together("rest-of-sources");
