/** The daemon's name in answers and documents. */
export const SERVICE_NAME = 'daybook';
