/** Words of the view Now. */
export const text = {
  title: 'Now',
};
