import { together } from "./together.ts";

together("operations");
