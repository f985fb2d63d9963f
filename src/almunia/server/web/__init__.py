"""Pages: routes, HTML, and the middleware of all requests.

`routing` calls functions with the services that their parameters name. `templating` renders templates. A `FormPage`
shows the errors of its routes. Of a table's page, `table` has the routes, `table_page` the content, and `table_layout`
the columns. `table_renderer` renders the fragments, and `table_notices` adds chat and rematches to the stream.
"""
