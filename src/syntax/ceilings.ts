/**
 * Size limits of a document. A document is hostile input, so each limit is fixed. Reaching one is a
 * diagnostic with a position, never a silent cut, and no document can raise it.
 */

/** Bytes of a document in UTF-8. GitHub's interface, imported with all shapes, has 2.9 MB; a longer text is not read at all. */
export const documentBytesMax = 4 * 1024 * 1024;

/** UTF-16 units of one line, so that no single value can be long enough to make a parser of it slow. The rest of the line is not read. */
export const lineLengthMax = 4096;

/** Lists and quotations in one another. The notation needs two; each level makes its lines be read once more. */
export const blockDepthMax = 16;

/** Columns of a table. The widest of the notation has six; error tables may have further ones of the author's. */
export const tableColumnsMax = 64;

/** Rows of a table: `Records of` tables (currencies, countries) have a few hundred. */
export const tableRowsMax = 2000;

/** Endpoints and paths: the items of their part are resolved for each. The largest public interface known has 1,100. */
export const endpointsMax = 2000;

/** UTF-16 units of an item's key; a longer text before a colon is a sentence. */
export const keyLengthMax = 80;

/** How long reading and checking may take in the worker that the command line uses, for each started `compileTimeBytes` of a document. */
export const compileTimeMsMax = 2000;
export const compileTimeBytes = 512 * 1024;
