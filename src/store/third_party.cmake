# SQLite for pitot_store, as a static archive where the release is linked statically.
if(PITOT_STATIC)
  find_library(PITOT_SQLITE_LIBRARY NAMES libsqlite3.a)
endif()
find_library(PITOT_SQLITE_LIBRARY NAMES sqlite3 REQUIRED)
find_path(PITOT_SQLITE_INCLUDE sqlite3.h REQUIRED)
target_link_libraries(pitot_store PRIVATE ${PITOT_SQLITE_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} m)
target_include_directories(pitot_store SYSTEM PRIVATE ${PITOT_SQLITE_INCLUDE})
