throw new RangeError("no table");
export const handler = async () => null;
