/**
 * Size limits of a document. A document is hostile input, so each limit is fixed. Reaching one is a
 * diagnostic with a position, never a silent cut, and no document can raise it.
 */

/**
 * Maximum size of a document in UTF-8 bytes. GitHub's interface, imported with all shapes, has 2.9 MB. A longer text
 * is not read at all.
 */
export const documentBytesMax = 4 * 1024 * 1024;

/** Maximum length of a line in UTF-16 units, so that no value can slow a parser down. The rest of the line is not read. */
export const lineLengthMax = 4096;

/** Maximum depth of nested lists and quotations. The notation needs two; each level reads its lines once more. */
export const blockDepthMax = 16;

/**
 * Maximum number of columns of a table. The widest table of the notation has six; error tables may have columns of
 * the author's.
 */
export const tableColumnsMax = 64;

/** Maximum number of rows of a table. `Records of` tables (currencies, countries) have a few hundred. */
export const tableRowsMax = 2000;

/**
 * Maximum number of endpoints and paths, because the items of their part are resolved for each. The largest known
 * public interface has 1,100.
 */
export const endpointsMax = 2000;

/** Maximum length of an item's key in UTF-16 units. A longer text before a colon is a sentence. */
export const keyLengthMax = 80;

/** Time limit for reading and checking in the worker of the command line, for each started `compileTimeBytes` of a document. */
export const compileTimeMsMax = 2000;
export const compileTimeBytes = 512 * 1024;
