/** Plain JSON data: the content of models and bodies. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
