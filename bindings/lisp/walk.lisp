;;;; Walks: entries are pulled some hundred at a time; the walk itself runs in libbrisk's threads.

(in-package :brisk)

(defconstant +chunk+ 512)

(defstruct (entry (:constructor make-entry (path type depth inode)))
  "An entry with the metadata that were asked for; the others are NIL."
  path type depth inode size mtime mode link-target)

(defconstant +unix-epoch+ 2208988800
  "The universal time at which Unix's begins.")

(defparameter *orders*
  '(:any :breadth :depth :depth-post :depth-siblings :sorted :sorted-post :sorted-siblings))
(defparameter *follows* '(:roots :never :always))
(defparameter *fields* '(:mode #x2 :mtime #x40 :size #x200 :link-target #x80000))
(defparameter *ignores* '(:hidden 1 :git 2 :files 4))
(defparameter *types*
  '(#\f :file #\d :directory #\l :link #\p :pipe #\s :socket #\b :block-device
    #\c :character-device #\D :other #\U :unknown))

(defun choice (value values)
  (or (position value values) (error "~S is none of ~S" value values)))

(defun bits (values table)
  (loop for value in (uiop:ensure-list values)
        sum (or (getf table value)
                (error "~S is none of ~S" value (loop for (name) on table by #'cddr
                                                      collect name)))))

(defun letters (types)
  "C's letters of types."
  (map 'string (lambda (type)
                 (or (loop for (letter name) on *types* by #'cddr
                           when (eq name type) return letter)
                     (error "~S is not a type" type)))
       (uiop:ensure-list types)))

(defun type-of-code (code)
  (getf *types* (code-char code) :unknown))

(defun read-entry (pointer asks)
  "The entry at a pointer: its path alone, unless metadata were asked for."
  (declare (optimize speed))
  (cffi:with-foreign-slots ((name dir meta ino name-len dir-len depth type) pointer
                            (:struct c-entry))
    (let ((path (join dir dir-len name name-len)))
      (if (not asks)
          path
          (let ((entry (make-entry path (type-of-code type) depth ino)))
            (unless (cffi:null-pointer-p meta)
              (read-meta entry meta))
            entry)))))

(defun read-meta (entry pointer)
  (cffi:with-foreign-slots ((fields mode file-size link-target) pointer (:struct c-meta))
    (flet ((has (field) (logtest fields (getf *fields* field))))
      (when (has :size)
        (setf (entry-size entry) file-size))
      (when (has :mode)
        (setf (entry-mode entry) mode))
      (when (has :mtime)
        (let ((time (cffi:foreign-slot-pointer pointer '(:struct c-meta) 'mtime)))
          (setf (entry-mtime entry)
                (+ +unix-epoch+ (cffi:foreign-slot-value time '(:struct c-time) 'sec)))))
      (setf (entry-link-target entry) (from-c link-target)))))

(defun call-with-walk-options (function cancel
                               &key wild types prune (order :any) (follow :roots) ignore fields
                                 (min-depth 0) max-depth)
  "Calls FUNCTION with C's options of a walk."
  (with-structure (options walk-options)
    (with-strings (globs glob-count (uiop:ensure-list wild))
      (with-strings (prunes prune-count (uiop:ensure-list prune))
        (cffi:with-foreign-string (letters (letters types))
          (set-slots options walk-options
                     cancel cancel
                     globs globs glob-count glob-count
                     prune prunes prune-count prune-count
                     types letters
                     order (choice order *orders*)
                     follow (choice follow *follows*)
                     ignore (bits ignore *ignores*)
                     fields (bits fields *fields*)
                     min-depth min-depth
                     max-depth (or max-depth 0))
          (funcall function options))))))

(defun start-walk (keep cancel directories options)
  "Calls KEEP with the walk."
  (apply #'call-with-walk-options
         (lambda (c-options)
           (with-strings (roots count directories)
             (with-error (place)
               (funcall keep (brisk-walk-start roots count c-options place)))))
         cancel options))

;; A thread is started for each batch, in about 0.1 ms.
(defconstant +batch+ 4096)
(defconstant +batch-time+ (ceiling internal-time-units-per-second 200))

(defun read-batch (walk asks)
  "The next entries, some thousand or those of 5 ms, and the errors among them. NIL is the end."
  (let ((size (cffi:foreign-type-size '(:struct c-entry)))
        (begun (get-internal-real-time))
        (batch '())
        (found 0))
    (declare (type fixnum size found))
    (cffi:with-foreign-object (entries '(:struct c-entry) +chunk+)
      (loop
        (let ((count (with-error (place) (brisk-walk-next walk entries +chunk+ place))))
          (declare (type fixnum count))
          (loop for error = (taken (brisk-walk-next-error walk))
                while error do (push error batch))
          (dotimes (at count)
            (push (read-entry (cffi:inc-pointer entries (* at size)) asks) batch))
          (incf found count)
          (when (or (zerop count) (>= found +batch+)
                    (>= (- (get-internal-real-time) begun) +batch-time+))
            (return (nreverse batch))))))))

(defun call-with-walk (function directories &rest options
                       &key (types '(:file)) (min-depth 1) fields &allow-other-keys)
  "Calls FUNCTION with a function that returns the next entry, or NIL at the end."
  (let ((walk (cffi:null-pointer))
        (asks (not (null fields)))
        (batch '())
        (has-ended nil)
        ;; Not while a batch is read: after an interrupt there are entries that no call returns.
        (is-usable t))
    (with-cancel (cancel)
      (labels ((fill-batch ()
                 (setf is-usable nil
                       batch (call-away cancel (lambda () (read-batch walk asks)))
                       has-ended (null batch)
                       is-usable t))
               (next ()
                 (unless is-usable
                   (error "NEXT of a walk that has ended: WITH-WALK was left, or interrupted"))
                 (unless (or batch has-ended)
                   (fill-batch))
                 (let ((entry (pop batch)))
                   (cond ((not (typep entry 'brisk-error)) entry)
                         ((signal-each (list entry)) (next))
                         (t (setf batch '() has-ended t) nil)))))
        (with-cleanup
             (progn
               (start-walk (lambda (started) (setf walk started)) cancel
                           (uiop:ensure-list directories)
                           (list* :types types :min-depth min-depth options))
               (funcall function #'next))
          (setf is-usable nil)
          (brisk-cancel-now cancel)
          (brisk-walk-end walk))))))

(defmacro with-walk ((next directory &rest options) &body body)
  "Evaluates BODY with a local function NEXT, which returns the next entry below DIRECTORY (or a list
of directories), or NIL at the end. The walk ends with the body. OPTIONS are those of LIST-FILES."
  (let ((function (gensym)))
    `(call-with-walk (lambda (,function)
                       (flet ((,next () (funcall (the function ,function))))
                         ,@body))
                     ,directory ,@options)))

(defun map-files (function directory &rest options)
  "Calls FUNCTION with each entry below DIRECTORY. OPTIONS are those of LIST-FILES."
  (apply #'call-with-walk
         (lambda (next)
           (loop for entry = (funcall (the function next))
                 while entry do (funcall function entry)))
         directory options))

(defun list-files (directory &rest options)
  "The paths of the files below DIRECTORY (or a list of directories). With :FIELDS, a list of :SIZE,
:MTIME, :MODE and :LINK-TARGET, entries with these. Other options:
  :WILD       globs of names or, with a slash, of paths below the directory
  :TYPES      :FILE (the default), :DIRECTORY, :LINK, …, or a list; NIL for all
  :PRUNE      globs of directories that are not entered
  :ORDER      :ANY, :BREADTH, :DEPTH, :DEPTH-POST, :DEPTH-SIBLINGS, :SORTED, :SORTED-POST,
              :SORTED-SIBLINGS
  :FOLLOW     links that are followed: :ROOTS, :NEVER, :ALWAYS
  :IGNORE     what is left out: :HIDDEN, :GIT, :FILES (what files named .ignore say), or a list
  :MIN-DEPTH, :MAX-DEPTH
A directory that cannot be read is a BRISK-ERROR, with the restarts SKIP and STOP."
  (let ((entries '()))
    (apply #'map-files (lambda (entry) (push entry entries)) directory options)
    (nreverse entries)))
