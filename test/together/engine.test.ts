import { together } from "./together.ts";

together("engine");
