import { together } from "./together.ts";

together("the rest");
